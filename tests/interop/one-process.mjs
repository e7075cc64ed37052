// A real command line that stays: reads {"args": [...]} lines, runs each through the package's own runCli (what its entry
// calls with process.argv), and answers with {"code", "out", "err"}. Saves two seconds of loading per command.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const program = process.argv[2];
const dist = path.join(path.dirname(fs.realpathSync(program)), "dist");

// 2026.9.6 has it under a name of its own; in 2026.2.26 the entry knows the name.
function mainModule() {
    const stable = path.join(dist, "cli", "run-main.js");
    if (fs.existsSync(stable)) {
        return stable;
    }
    const found = fs.readFileSync(path.join(dist, "entry.js"), "utf8").match(/import\("\.\/(run-main-[\w-]+\.js)"\)/);
    return path.join(dist, found[1]);
}

class Exit extends Error {}

const { runCli } = await import(pathToFileURL(mainModule()));
const exit = process.exit.bind(process);
process.setMaxListeners(0); // every command adds its own, for one process

// What one command says and how it ends. A command that exits is over then; one that returns has set process.exitCode.
function run(args) {
    return new Promise((resolve) => {
        const said = { out: "", err: "" };
        const listen = (stream, key) => {
            stream.write = (data, encoding, done) => {
                said[key] += typeof data === "string" ? data : Buffer.from(data).toString("utf8");
                (typeof encoding === "function" ? encoding : done)?.();
                return true;
            };
        };
        const end = (code) => resolve({ code, ...said });
        listen(process.stdout, "out");
        listen(process.stderr, "err");
        process.exitCode = undefined;
        process.exit = (code) => {
            end(code ?? process.exitCode ?? 0);
            throw new Exit("exit");
        };
        process.argv = [process.execPath, program, ...args];
        runCli(process.argv).then(
            () => end(process.exitCode ?? 0),
            (error) => {
                if (!(error instanceof Exit)) {
                    said.err += String(error?.stack ?? error);
                    end(1);
                }
            });
    });
}

process.on("unhandledRejection", (error) => {
    if (!(error instanceof Exit)) {
        exit(70);
    }
});

// A line of standard input, or nothing at its end. Read by hand: 2026.9.6 closes process.stdin when a command is done, and
// makes it non-blocking before, so both ends are opened anew.
const input = fs.openSync("/dev/stdin", "r");
const output = fs.openSync("/dev/stdout", "w");
function nextLine() {
    const byte = Buffer.alloc(1);
    let line = "";
    while (fs.readSync(input, byte, 0, 1) === 1 && byte[0] !== 10) {
        line += byte.toString("latin1");
    }
    return line;
}

for (let line = nextLine(); line; line = nextLine()) {
    fs.writeSync(output, JSON.stringify(await run(JSON.parse(line).args)) + "\n");
}
exit(0);
