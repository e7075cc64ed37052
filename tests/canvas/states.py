"""The states that pictures.py draws besides the files of data/: what is in which file of states/, and what is done with it."""

NO_DATA = {"no-data": "a state of its own"}
FAILED = {"image-failed": "a state of its own"}


def state(name, *activate, file=None, **options):
    pressed = [word for component in activate for word in ("--activate", component)]
    options["options"] = options.get("options", []) + pressed
    return name, (file or name.split(",")[0]) + ".jsonl", options


# name, file of states/, options of pictures.Run
STATES = [
    state("buttons"),
    state("buttons,narrow", width=160),
    state("buttons,scale-2", options=["--scale", "2"]),
    state("buttons,scale-1.5", options=["--scale", "1.5"]),
    state("check-boxes"),
    state("check-boxes,pressed", "on", "off", "lit", "gone"),
    state("choices", explained={"empty-list": "a state of its own"}),
    state("choices,open", "many", explained={"empty-list": "a state of its own"}),
    state("choices,open-one", "one", explained={"empty-list": "a state of its own"}),
    state("choices,open-full", "full", explained={"empty-list": "a state of its own"}),
    state("choices,open-filter", "filter", explained={"empty-list": "a state of its own"}),
    state("containers"),
    state("containers,narrow", width=240),
    state("dates", explained={"bad-date": "a state of its own"}),
    state("dates,open", "both", explained={"bad-date": "a state of its own"}),
    state("dates,open-date", "date", explained={"bad-date": "a state of its own"}),
    state("dates,open-time", "time", explained={"bad-date": "a state of its own"}),
    state("dates,open-last", "leap", explained={"bad-date": "a state of its own"}),
    state("icons", explained={**NO_DATA, "unknown-icon": "a state of its own"}),
    state("icons,scale-3", options=["--scale", "3"], explained={**NO_DATA, "unknown-icon": "a state of its own"}),
    state("image-fits"),
    state("images"),
    state("images-failed", explained=FAILED),
    state("lists"),
    state("media", explained=NO_DATA),
    state("modal"),
    state("modal,open", "open"),
    state("modal,open-narrow", "open", width=200),
    state("modal,action-inside", "open", "yes"),
    state("scripts", fonts="fonts-noto.conf", exact=False),
    state("sliders"),
    state("styles", explained={"bad-color": "a state of its own", "missing-font": "a state of its own"}),
    state("tabs"),
    state("tabs,second", "tabs"),
    state("tabs,third", "tabs", "tabs"),
    state("tabs,narrow", width=200),
    state("text-fields"),
    state("text-fields,open-date", "date"),
    state("text-fields,narrow", width=200),
    state("texts", explained=NO_DATA),
    state("texts,narrow", width=200, explained=NO_DATA),
    state("texts,scale-2", options=["--scale", "2"], explained=NO_DATA),
]

# name → file of states/, what a person does (wire.Canvas.do); all in the theme openclaw
STEPS = {
    "steps-button-hover": ("buttons", ["hover plain"]),
    "steps-button-pressed": ("buttons", ["press primary"]),
    "steps-button-focus": ("buttons", ["key Tab", "key Tab"]),
    "steps-button-sent": ("buttons", ["click primary"]),
    "steps-check-box-hover": ("check-boxes", ["hover off"]),
    "steps-check-box-focus": ("check-boxes", ["key Tab", "key Space"]),
    "steps-choices-filter": ("choices", ["click filter", "type gr"]),
    "steps-choices-none-found": ("choices", ["click filter", "type zzz"]),
    "steps-choices-keys": ("choices", ["key Tab", "key Enter", "key Down", "key Space", "key Down"]),
    "steps-dates-keys": ("dates", ["key Tab", "key Enter", "key Down", "key Right"]),
    "steps-dates-typed": ("dates", ["click time", "type 23", "key Tab", "type 59", "key Enter"]),
    "steps-image-loading": ("images-failed", []),  # nobody brings them
    "steps-list-scrolled": ("lists", ["scroll across 150"]),
    "steps-modal-focus": ("modal", ["click open", "key Tab"]),
    "steps-modal-closed": ("modal", ["click open", "key Escape"]),
    "steps-slider-held": ("sliders", ["press middle"]),
    "steps-slider-keys": ("sliders", ["key Tab", "key End"]),
    "steps-tabs-focus": ("tabs", ["key Tab", "key Right"]),
    "steps-text-focus": ("text-fields", ["key Tab", "key Tab"]),
    "steps-text-typed": ("text-fields", ["click empty", "type Grüße 你好"]),
    "steps-text-secret": ("text-fields", ["click obscured", "key End", "type x"]),
    "steps-text-lines": ("text-fields", ["click lines", "key End", "key Enter", "type more"]),
    "steps-text-mended": ("text-fields", ["click nan", "key End", "key Backspace", "key Backspace", "key Backspace", "type 10"]),
}
