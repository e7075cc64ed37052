// The reference renderer with a theme that has the measures of our theme "default".
import { ContextProvider } from "@lit/context";
import * as Core from "@a2ui/lit/0.8";
import * as UI from "@a2ui/lit/ui";
import { LitElement, html } from "lit";
import MarkdownIt from "markdown-it";

const classes = (...names) => Object.fromEntries(names.map((n) => [n, true]));
const field = classes("typography-f-sf", "typography-sz-bm", "layout-pt-2", "layout-pb-2", "layout-pl-3", "layout-pr-3",
    "border-br-2", "border-bw-1", "border-bs-s", "color-bc-p60");
const label = classes("typography-f-sf", "typography-sz-bm");
const theme = {
    additionalStyles: {},
    components: {
        AudioPlayer: {},
        Button: classes("layout-pt-2", "layout-pb-2", "layout-pl-3", "layout-pr-3", "border-br-12", "border-bw-0",
            "border-bs-s", "color-bgc-p30"),
        Card: classes("border-br-9", "layout-p-4", "color-bgc-n100"),
        CheckBox: { element: classes("layout-m-0", "layout-mr-2"), label, container: classes("layout-dsp-iflex", "layout-al-c") },
        Column: classes("layout-g-2"),
        DateTimeInput: { container: classes("layout-dsp-flex"), label, element: field },
        Divider: {},
        Image: {
            all: classes("border-br-5", "layout-el-cv", "layout-w-100", "layout-h-100"),
            avatar: {}, header: {}, icon: {}, largeFeature: {}, mediumFeature: {}, smallFeature: {},
        },
        Icon: {},
        List: classes("layout-g-4", "layout-p-2"),
        Modal: {
            backdrop: {},
            element: classes("border-br-2", "color-bgc-p100", "layout-p-4", "border-bw-1", "border-bs-s", "color-bc-p80"),
        },
        MultipleChoice: { container: {}, label: {}, element: {} },
        Row: classes("layout-g-4"),
        Slider: { container: {}, label: {}, element: {} },
        Tabs: { container: {}, controls: { all: {}, selected: {} }, element: {} },
        Text: {
            all: classes("layout-w-100", "layout-g-2"),
            h1: classes("typography-sz-hs"), h2: classes("typography-sz-tl"), h3: classes("typography-sz-tl"),
            h4: classes("typography-sz-bl"), h5: classes("typography-sz-bm"), body: {}, caption: {},
        },
        TextField: {
            container: classes("typography-sz-bm", "layout-w-100", "layout-g-2", "layout-dsp-flexhor", "layout-al-c"),
            label: classes("layout-flx-0"),
            element: field,
        },
        Video: classes("border-br-5", "layout-el-cv"),
    },
    elements: {},
    markdown: { p: [], h1: [], h2: [], h3: [], h4: [], h5: [], ul: [], ol: [], li: [], a: [], strong: [], em: [] },
};

const font = (size, line, rest) => `font-family:'Liberation Sans';font-size:${size}px;line-height:${line}px;${rest}`;
const heading = "font-weight:500;margin:0 0 8px 0";
const styles = {
    p: font(14, 20, "margin:0"), h1: font(24, 32, heading), h2: font(22, 28, heading), h3: font(22, 28, heading),
    h4: font(16, 24, heading), h5: font(14, 20, heading),
};
const markdown = new MarkdownIt();
const render = (text) => markdown.render(text).replace(/<(p|h[1-5])>/g, (_, tag) => `<${tag} style="${styles[tag]}">`);

class Host extends LitElement {
    constructor() {
        super();
        new ContextProvider(this, { context: UI.Context.themeContext, initialValue: theme });
        new ContextProvider(this, { context: UI.Context.markdown, initialValue: render });
        this.processor = Core.Data.createSignalA2uiMessageProcessor();
    }
    createRenderRoot() {
        return this;
    }
    render() {
        return html`${[...this.processor.getSurfaces()].map(([id, surface]) => html`<a2ui-surface .surfaceId=${id}
            .surface=${surface} .processor=${this.processor}></a2ui-surface>`)}`;
    }
}
customElements.define("x-host", Host);

window.go = (messages) => {
    const host = document.querySelector("x-host");
    try {
        host.processor.processMessages(messages);
    } finally {
        host.requestUpdate();
    }
};

window.dump = () => {
    const out = [];
    const walk = (el) => {
        const box = el.getBoundingClientRect();
        if (el.component && box.width > 0 && box.height > 0)
            out.push({ type: el.component.type, id: el.component.id, x: box.x, y: box.y, w: box.width, h: box.height });
        for (const child of [...(el.shadowRoot?.children ?? []), ...el.children])
            walk(child);
    };
    walk(document.body);
    return out;
};
