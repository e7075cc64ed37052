#!/bin/sh
# Shows a form on the canvas of a node and answers what people press there. A place to start for whatever runs your agent.
#
#   examples/loop.sh workshop          needs jq
set -eu
node=${1:?usage: loop.sh NODE}
here=$(dirname "$0")

say() { # a card with one text; the button leads back to the form
    jq -nc --arg text "$1" '{surfaceUpdate: {surfaceId: "order", components: [
        {id: "root", component: {Card: {child: "page"}}},
        {id: "page", component: {Column: {children: {explicitList: ["text", "again"]}}}},
        {id: "text", component: {Text: {text: {literalString: $text}, usageHint: "h3"}}},
        {id: "again", component: {Button: {child: "label", action: {name: "again"}}}},
        {id: "label", component: {Text: {text: {literalString: "Once more"}}}}]}}' |
        openclaw nodes canvas a2ui push --node "$node" --jsonl -
}
form() { openclaw nodes canvas a2ui push --node "$node" --jsonl "$here/canvas/order.jsonl" </dev/null; }

# The name of what was pressed and what was entered. Where the gateway gives no fields, both are in the message.
action_of() { jq -r '.action // (.message | capture("action=(?<name>[^ ]+)").name)'; }
context_of() { jq -c '.context // (.message | (capture(" ctx=(?<json>.*) default=").json | fromjson)? // {})'; }

form
openclaw nodes requests --json | while IFS= read -r request; do
    context=$(printf '%s\n' "$request" | context_of)
    case $(printf '%s\n' "$request" | action_of) in
    order)
        say "$(printf '%s\n' "$context" | jq -r '"Thank you, \(.name): \(.cups) × \(.drink | if type == "array" then .[0] else . end)."')"
        ;;
    again) form ;;
    done)
        openclaw nodes canvas a2ui reset --node "$node" </dev/null
        exit 0
        ;;
    esac
done
