// The canvas of a node: shows the pictures that come, and sends back what is done with them (gateway/canvas/canvas_watch.h).
"use strict";
const $ = id => document.getElementById(id);
const canvas = $("canvas"), room = $("room"), typed = $("typed"), words = $("words"), pen = canvas.getContext("2d");
let socket = null, readOnly = true, size = { width: 1, height: 1 }, wait = 500, ended = false;

function say(text, bad) {
  $("state").textContent = text;
  $("state").className = bad ? "bad" : "";
  canvas.classList.toggle("stale", !!bad);
}

// ---- what comes ----

let drawing = Promise.resolve();
function draw(bytes, now) {
  drawing = drawing.then(async () => {
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    if (canvas.width !== picture.width || canvas.height !== picture.height) {
      canvas.width = picture.width;
      canvas.height = picture.height;
    }
    canvas.style.width = now.width + "px";
    pen.drawImage(picture, 0, 0);
    picture.close();
    size = now;
    canvas.dataset.pictures = +(canvas.dataset.pictures || 0) + 1;
    say(readOnly ? "Live, to look at only" : "Live");
  }).catch(() => say("The picture cannot be shown.", true));
}

let next = size;
function hear(event) {
  if (typeof event.data !== "string") {
    draw(event.data, next);
    return;
  }
  const m = JSON.parse(event.data);
  if (m.state === "hello") {
    readOnly = m.readOnly;
    $("node").textContent = m.node;
    document.title = m.node + " – canvas";
    $("keyboard").hidden = readOnly || !matchMedia("(pointer: coarse)").matches;
    canvas.classList.toggle("still", readOnly);
    sendPort();
  } else if (m.state === "live") {
    next = { width: m.width || 1, height: m.height || 1 };
    if (words.textContent !== (m.text || "")) words.textContent = m.text || "";
  } else {
    say(m.message, true);
  }
}

// ---- the connection; only while somebody looks ----

async function isEnded() {
  try {
    return (await fetch(location.href, { method: "HEAD", cache: "no-store" })).status === 401;
  } catch {
    return false;
  }
}

function connect() {
  if (socket || ended || document.hidden) return;
  const own = socket = new WebSocket(new URL("ws", location.href.replace(/^http/, "ws")));
  own.binaryType = "arraybuffer";
  own.onopen = () => { wait = 500; port = ""; };
  own.onmessage = hear;
  own.onclose = async () => {
    if (socket !== own) return;
    socket = null;
    if (document.hidden) return;
    say("Not connected. Trying again…", true);
    if (await isEnded()) {
      ended = true;
      location.reload(); // says so, and what to do
      return;
    }
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, 10000);
  };
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden && socket) {
    const old = socket;
    socket = null;
    old.close();
  } else {
    connect();
  }
});

// ---- the room that there is for it: the canvas is laid out for this page, not shrunk ----

let port = "", portTimer = 0;
const within = (v, from, to) => Math.min(Math.max(v, from), to);
function sendPort() {
  if (!socket || socket.readyState !== 1) return;
  const view = { width: within(room.clientWidth, 160, 4096), scale: within(Math.ceil(devicePixelRatio), 1, 2) };
  const height = Math.floor(room.getBoundingClientRect().height); // a fraction more would bring scroll bars
  if (!readOnly) view.height = within(height, 160, 4096); // who cannot scroll the canvas scrolls the page
  const now = JSON.stringify({ view });
  if (now === port) return;
  port = now;
  socket.send(now);
}
new ResizeObserver(() => {
  clearTimeout(portTimer);
  portTimer = setTimeout(sendPort, 150);
}).observe(room);
// Where the keyboard covers the page instead of taking room from it.
visualViewport?.addEventListener("resize", () => {
  if (visualViewport.scale === 1) document.body.style.height = visualViewport.height + "px";
});

// ---- what is done ----

function send(touch) {
  if (!readOnly && socket && socket.readyState === 1 && socket.bufferedAmount < 65536) socket.send(JSON.stringify(touch));
}

const scale = () => size.width / (canvas.getBoundingClientRect().width || 1);
const round = v => Math.round(v * 10) / 10;
function at(event) {
  const box = canvas.getBoundingClientRect(), by = scale();
  return { x: round((event.clientX - box.left) * by), y: round((event.clientY - box.top) * by) };
}

const mods = e => (e.shiftKey ? 1 : 0) + (e.ctrlKey || e.metaKey ? 2 : 0) + (e.altKey ? 4 : 0);
let finger = null, moved = null, frame = 0;

// A finger that moves scrolls; one that does not presses.
canvas.addEventListener("pointerdown", e => {
  if (e.button !== 0 || !e.isPrimary || readOnly) return;
  e.preventDefault();
  canvas.setPointerCapture(e.pointerId);
  if (e.pointerType === "touch") {
    finger = { x: e.clientX, y: e.clientY, scrolls: false, at: at(e) };
    return;
  }
  typed.focus({ preventScroll: true });
  send({ pointer: "press", ...at(e), mods: mods(e) });
});
canvas.addEventListener("pointermove", e => {
  if (finger) {
    const dx = finger.x - e.clientX, dy = finger.y - e.clientY;
    if (!finger.scrolls && Math.hypot(dx, dy) < 8) return;
    finger.scrolls = true;
    finger.x = e.clientX;
    finger.y = e.clientY;
    send({ scroll: true, ...finger.at, dx: round(dx * scale()), dy: round(dy * scale()) });
    return;
  }
  moved = { pointer: "move", ...at(e), mods: mods(e) };
  frame = frame || requestAnimationFrame(() => {
    frame = 0;
    if (moved) send(moved);
    moved = null;
  });
});
canvas.addEventListener("pointerup", e => {
  if (finger) {
    if (!finger.scrolls) {
      send({ pointer: "press", ...finger.at });
      send({ pointer: "release", ...finger.at });
      if (document.activeElement !== typed) canvas.classList.add("active");
    }
    finger = null;
    return;
  }
  moved = null;
  if (e.button === 0) send({ pointer: "release", ...at(e), mods: mods(e) });
});
canvas.addEventListener("pointercancel", () => { finger = null; });
canvas.addEventListener("pointerleave", e => {
  moved = null;
  if (e.pointerType !== "touch") send({ pointer: "leave", ...at(e) });
});
canvas.addEventListener("wheel", e => {
  if (readOnly || e.ctrlKey) return;
  e.preventDefault();
  const step = e.deltaMode === 1 ? 20 : e.deltaMode === 2 ? size.height : 1;
  send({ scroll: true, ...at(e), dx: round(e.deltaX * step * scale()), dy: round(e.deltaY * step * scale()) });
}, { passive: false });

const keys = { Tab: "Tab", Enter: "Enter", Escape: "Escape", ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up",
  ArrowDown: "Down", Home: "Home", End: "End", PageUp: "PageUp", PageDown: "PageDown", Backspace: "Backspace", Delete: "Delete" };

// Escape twice gives the keyboard back to the page, so that nobody is caught here.
let escaped = false;
typed.addEventListener("keydown", e => {
  if (e.isComposing || readOnly) return;
  if (e.key === "Escape" && escaped) {
    escaped = false;
    typed.blur();
    return;
  }
  escaped = e.key === "Escape";
  const command = (e.ctrlKey || e.metaKey) && !e.altKey && "acxyz".includes(e.key.toLowerCase()) ? e.key.toLowerCase() : null;
  const key = keys[e.key] || command;
  if (!key) return; // letters and spaces come as input, whatever keyboard or input method they are typed with
  e.preventDefault();
  send({ key, mods: mods(e) });
});
function take() {
  if (typed.value) send({ text: typed.value.slice(0, 4000) });
  typed.value = "";
}
typed.addEventListener("input", e => { if (!e.isComposing) take(); });
typed.addEventListener("compositionend", take);
typed.addEventListener("focus", () => canvas.classList.add("active"));
typed.addEventListener("blur", () => canvas.classList.remove("active"));
$("keyboard").addEventListener("click", () => typed.focus({ preventScroll: true }));

connect();
