// node measure.mjs WIDTH DATA: lays out every DATA/**/*.jsonl in Chromium and prints the boxes as JSON.
import fs from "fs";
import path from "path";
import zlib from "zlib";
import { chromium } from "playwright-core";

const [width, data] = [Number(process.argv[2]), process.argv[3]];
const bundle = fs.readFileSync("bundle.js", "utf8");

function chunk(type, body) {
    const out = Buffer.alloc(12 + body.length);
    out.writeUInt32BE(body.length, 0);
    out.write(type, 4, "latin1");
    body.copy(out, 8);
    out.writeUInt32BE(zlib.crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
    return out;
}

function picture(w, h) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(w, 0);
    head.writeUInt32BE(h, 4);
    head.set([8, 2, 0, 0, 0], 8);
    const pixels = zlib.deflateSync(Buffer.alloc(h * (1 + 3 * w)));
    const magic = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
    return Buffer.concat([magic, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function files(dir) {
    return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
        const name = path.join(dir, e.name);
        return e.isDirectory() ? files(name) : name.endsWith(".jsonl") ? [name] : [];
    });
}

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--font-render-hinting=none", "--hide-scrollbars"],
});
const image = picture(640, 400);
const result = {};
for (const file of files(data).sort()) {
    const page = await browser.newPage({ viewport: { width, height: 1200 } });
    await page.route("**/*", (r) => r.fulfill({ body: image, contentType: "image/png" }));
    await page.setContent("<!doctype html><body style=\"margin:0;padding:16px;font-family:'Liberation Sans'\">" +
        '<x-host style="display:block"></x-host>');
    await page.addScriptTag({ content: bundle });
    const lines = fs.readFileSync(file, "utf8").split("\n").filter((l) => l.trim());
    await page.evaluate((m) => window.go(m), lines.map((l) => JSON.parse(l)));
    await page.waitForTimeout(400); // pictures
    const items = await page.evaluate(() => window.dump());
    const round = (n) => Math.round(n * 100) / 100;
    result[path.relative(data, file)] = items.map((i) => [i.type, i.id, round(i.x), round(i.y), round(i.w), round(i.h)]);
    await page.close();
}
await browser.close();
const rows = Object.entries(result).map(([f, items]) => ` ${JSON.stringify(f)}: ${JSON.stringify(items)}`);
console.log(`{\n${rows.join(",\n")}\n}`);
