/* What each form of a command binds, and that a change of it is seen. */
#include "tests/unit/node/looks/operand_scene.h"

#define TEN_PIECES(n) "a" #n ",b" #n ",c" #n ",d" #n ",e" #n ",f" #n ",g" #n ",h" #n ",i" #n ",j" #n
#define MANY_PIECES                                                                         \
    TEN_PIECES(1)                                                                           \
    "," TEN_PIECES(2) "," TEN_PIECES(3) "," TEN_PIECES(4) "," TEN_PIECES(5) "," TEN_PIECES( \
            6) ",k,l,m"

/* Which files each form binds, and what is left: NULL where all is bound. */
static const struct form {
    const char *argv[8];
    const char *bound; /* one that must be among them; NULL: none */
    const char *unbound;
} forms[] = {
    { { "nice", "deploy" }, "/bin/deploy", NULL },
    { { "nice", "-n", "5", "deploy" }, "/bin/deploy", NULL },
    { { "timeout", "-k", "1", "5", "deploy" }, "/bin/deploy", NULL },
    { { "env", "deploy" }, "/bin/deploy", NULL },
    { { "env", "A=b", "deploy" }, "/bin/deploy", NULL },
    { { "nohup", "deploy" }, "/bin/deploy", NULL },
    { { "stdbuf", "-oL", "deploy" }, "/bin/deploy", NULL },
    { { "setsid", "deploy" }, "/bin/deploy", NULL },
    { { "setsid", "--wait", "deploy", "x" }, "/bin/deploy", NULL },
    { { "xargs", "-n", "1", "deploy" }, "/bin/deploy", NULL },
    { { "ionice", "-c", "3", "deploy" }, "/bin/deploy", NULL },
    { { "taskset", "1", "deploy" }, "/bin/deploy", NULL },
    { { "nice", "setsid", "timeout", "5", "deploy" }, "/bin/deploy", NULL },
    { { "deploy" }, "/bin/deploy", NULL },
    { { "nice", "./x.sh" }, "/x.sh", NULL },
    { { "bash", "-lc", "./x.sh now" }, "/x.sh", NULL },
    { { "bash", "-c", "deploy now" }, "/bin/deploy", NULL },
    { { "sh", "-c", "sh x.sh" }, "/x.sh", NULL },
    { { "bash", "-c", "cd . && ./x.sh" }, "/x.sh", NULL },
    { { "bash", "-c", "cd sub && ./y.sh" }, "/sub/y.sh", NULL },
    { { "sh", "-c", "true; false || nice ./x.sh" }, "/x.sh", NULL },
    { { "sh", "-c", "echo a | ./x.sh" }, "/x.sh", NULL },
    { { "sh", "-c", "sh -c \"sh -c './x.sh'\"" }, "/x.sh", NULL },
    { { "sh", "-c", "echo hi" }, NULL, NULL },
    { { "zsh", "-c", "./x.sh" }, "/x.sh", NULL },
    { { "env", "bash", "-c", "./x.sh" }, "/x.sh", NULL },
    { { "bash", "deploy" }, "/bin/deploy", NULL },
    { { "python3", "x.py" }, "/x.py", NULL },
    { { "python3", "-u", "-W", "ignore", "x.py" }, "/x.py", NULL },
    { { "nice", "python3", "x.py" }, "/x.py", NULL },
    { { "node", "app" }, "/app/lib/run.js", NULL },
    { { "node", "app" }, "/app/package.json", NULL },
    { { "node", "plain" }, "/plain/index.js", NULL },
    { { "node", "app/lib/run" }, "/app/lib/run.js", NULL },
    { { "uname", "-a" }, NULL, NULL },
    { { "cat", "x.sh" }, NULL, NULL },

    { { "python3", "-m", "mod" }, NULL, "python3 -m can load any file" },
    { { "python3", "-Im", "mod" }, NULL, "python3 -m can load any file" },
    { { "python3", "-c", "import mod" }, NULL, "python3 -c can load any file" },
    { { "nice", "python3", "-m", "mod" }, NULL, "python3 -m can load any file" },
    { { "perl", "-Mx", "-e", "1" }, NULL, "perl -M can load any file" },
    { { "ruby", "-rx", "x.py" }, "/x.py", "ruby -r can load any file" },
    { { "node", "-e", "1" }, NULL, "node -e can load any file" },
    { { "node", "--import=x", "x.py" }, "/x.py", "can load any file" },
    { { "node", "broken" }, "/broken/package.json", "is no file now" },
    { { "node", "gone" }, NULL, "gone is no file now" },
    { { "python3", "gone.py" }, NULL, "gone.py is no file now" },
    { { "make" }, NULL, "make decides itself" },
    { { "nice", "make" }, NULL, "make decides itself" },
    { { "timeout", "5", "make" }, NULL, "make decides itself" },
    { { "setsid", "make" }, NULL, "make decides itself" },
    { { "sh", "-c", "true && make all" }, NULL, "make decides itself" },
    { { "npm", "test" }, NULL, "npm decides itself" },
    { { "npx", "x" }, NULL, "npx decides itself" },
    { { "pip", "install", "." }, NULL, "pip decides itself" },
    { { "cargo", "run" }, NULL, "cargo decides itself" },
    { { "ssh", "host", "x.sh" }, "/x.sh", "ssh decides itself" },
    { { "find", ".", "-exec", "sh", "{}", ";" }, NULL, "find decides itself" },
    { { "busybox", "sh", "-c", "./x.sh" }, NULL, "busybox decides itself" },
    { { "fish", "-c", "./x.sh" }, NULL, "fish decides itself" },
    { { "sh", "-c", "X=1 ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "sh", "-c", "./x.sh > out" }, "/x.sh", "more than the node understands" },
    { { "sh", "-c", "$(deploy)" }, "/bin/deploy", "more than the node understands" },
    { { "sh", "-c", ". ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "sh", "-c", "true; cd sub && ./y.sh" }, NULL, "more than the node understands" },
    { { "sh", "-c", "cd gone && ./y.sh" }, NULL, "gone is no directory now" },
    { { "sh", "-c", "cat x.sh | sh" }, NULL, "sh takes its commands from its input" },
    { { "sh", "-c", "cat x.py | python3" }, NULL, "python3 takes its commands from its input" },
    { { "sh", "-c", "cat x | xargs deploy" }, "/bin/deploy", "xargs takes further arguments" },
    { { "env", "-C", "sub", "./y.sh" }, NULL, "-C changes which files" },
    { { "env", "--chdir=sub", "./y.sh" }, NULL, "changes which files" },
    { { "env", "-S", "./x.sh" }, NULL, "-S changes which files" },
    { { "env", "PATH=/tmp", "deploy" }, NULL, "PATH changes which files" },
    { { "env", "LD_PRELOAD=./x.sh", "uname" }, "/x.sh", "LD_PRELOAD changes which files" },
    { { "sh", "state/key" }, NULL, "reads nothing for others" },
    { { "sh", "state/gone" }, NULL, "reads nothing for others" },
    { { "sh", "/proc/self/environ" }, NULL, "reads nothing for others" },
    { { "sh", "/sys/kernel/notes" }, NULL, "reads nothing for others" },
    { { "sh", "to-state/key" }, NULL, "reads nothing for others" },
    { { "sh", "state/workspace/x.sh" }, "/state/workspace/x.sh", NULL },

    /* options between -c and the text */
    { { "bash", "-c", "--", "./x.sh now" }, "/x.sh", NULL },
    { { "sh", "-c", "-e", "./x.sh now" }, "/x.sh", NULL },
    { { "sh", "-c", "+x", "./x.sh now" }, "/x.sh", NULL },
    { { "bash", "-euo", "pipefail", "-c", "./x.sh now" }, "/x.sh", NULL },
    { { "bash", "-co", "pipefail", "./x.sh now" }, "/x.sh", NULL },
    { { "nohup", "bash", "-c", "--", "./x.sh now" }, "/x.sh", NULL },
    { { "taskset", "-c", "0", "sh", "-c", "-e", "./x.sh now" }, "/x.sh", NULL },
    { { "mksh", "-c", "./x.sh now" }, "/x.sh", NULL },
    { { "bash", "-oc", "pipefail", "./x.sh now" }, NULL, "has options that are not understood" },
    { { "bash", "-O", "extglob", "-c", "./x.sh now" }, NULL, "options that are not understood" },
    { { "sh", "-kc", "nice PATH=sub y.sh" }, NULL, "options that are not understood" },
    { { "sh", "-", "x.sh" }, "/x.sh", "options that are not understood" },
    { { "bash", "-rcfile", "x.sh", "-ic", "true" }, "/x.sh", "options that are not understood" },
    { { "bash", "--rcfile", "x.sh", "-ic", "true" }, "/x.sh", "options that are not understood" },
    /* what is no regular file */
    { { "sh", "pipe" }, NULL, "pipe is a pipe" },
    { { "bash", "--rcfile", "pipe", "-ic", "true" }, NULL, "pipe is a pipe" },
    { { "sh", "-c", "sh pipe" }, NULL, "pipe is a pipe" },
    { { "python3", "pipe" }, NULL, "pipe is a pipe" },
    { { "sh", "gone.sh" }, NULL, "gone.sh is no file now" },
    { { "sh", "sub" }, NULL, "sub is no file now" },
    { { "nice", "sh", "-c", "sh gone.sh" }, NULL, "gone.sh is no file now" },
    { { "sh" }, NULL, "takes its commands from its input" },
    { { "python3" }, NULL, "takes its commands from its input" },
    /* what was not read */
    { { "sh", "-c", "sh x.sh now", "sh", "big" }, "/x.sh", "big was not read" },
    { { "sh", "big" }, NULL, "big was not read" },
    /* words that are more in some shell */
    { { "sh", "-c", "chdir sub && ./y.sh" }, NULL, "more than the node understands" },
    { { "sh", "-c", "cd lnk/.. && ./x.sh" }, NULL, "differs from shell to shell" },
    { { "sh", "-c", "cd sub && true; ./y.sh" }, NULL, "if cd fails" },
    { { "sh", "-c", "cd sub && true || ./y.sh" }, NULL, "if cd fails" },
    { { "bash", "-c", "printf -v 'a[$(./x.sh now)]' hi" }, NULL, "printf may be" },
    { { "bash", "-c", "test -v 'a[$(./x.sh now)]'" }, NULL, "test may be" },
    { { "bash", "-c", "printf '%s' hi" }, NULL, NULL },
    { { "zsh", "-c", "nocorrect ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "zsh", "-c", "true; - ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "zsh", "-c", "emulate sh -c ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "ksh", "-c", "redirect ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "ksh", "-c", "login ./x.sh" }, "/x.sh", "more than the node understands" },
    /* the first line of a script is a command */
    { { "./by-own" }, "/own", NULL },
    { { "./by-env" }, "/bin/deploy", NULL },
    { { "nice", "./by-own" }, "/own", NULL },
    { { "sh", "-c", "./by-own" }, "/own", NULL },
    { { "perl", "by-own" }, "/own", NULL },
    { { "./by-split" }, NULL, "changes which files" },
    { { "./by-make" }, NULL, "make decides itself" },
    { { "./by-itself" }, NULL, "one layer too many" },
    { { "./by-long" }, "/by-long", "a first line that is too long" },
    /* node */
    { { "node", "both" }, "/both.js", NULL },
    { { "node", "both/" }, "/both.js", NULL },
    { { "node", "both/." }, "/both.js", NULL },
    { { "node", ".//both/./" }, "/both.js", NULL },
    { { "sh", "-c", "cd both && node ." }, "/both.js", NULL },
    { { "sh", "-c", "cd both && node ./" }, "/both.js", NULL },
    { { "node", "slash" }, "/slash/sub.js", NULL },
    { { "node", "typed" }, "/typed.ts", "passed over by others" },
    { { "node", "" }, NULL, "is no file now" },
    { { "node", "--", "app" }, "/app/lib/run.js", NULL },
    { { "node", "escaped" }, "/escaped/package.json", "is not plain" },
    { { "node", "twice" }, "/twice/package.json", "is not plain" },
    { { "node", "lnk/../x.py" }, NULL, "is no file now" },
    { { "node", "--experimental_loader=evil", "x.py" }, "/x.py", "can load any file" },
    { { "node", "--new-option", "x.py" }, "/x.py", "can load any file" },
    { { "node", "--no_warnings", "x.py" }, "/x.py", NULL },
    { { "node", "inspect", "x.py" }, "/x.py", "is no file now" },
    /* wrappers */
    { { "xargs", "-E", "perl", "deploy" }, "/bin/deploy", NULL },
    { { "time", "-o", "perl", "deploy" }, "/bin/deploy", NULL },
    { { "xargs", "-a", "list", "nice" }, NULL, "changes which files" },
    { { "xargs", "-I", "perl", "deploy" }, "/bin/deploy", "changes which files" },
    { { "xargs", "nice" }, NULL, "xargs takes further arguments" },
    { { "xargs", "sh", "-c" }, NULL, "xargs takes further arguments" },
    { { "nice", "--new-option", "deploy" }, "/bin/deploy", "--new-option changes which files" },
    { { "timeout", "--sig=TERM", "5", "deploy" }, "/bin/deploy", "changes which files" },
    { { "chrt", "-o", "deploy" }, NULL, "chrt decides itself" },
    { { "env", "-i", "deploy" }, "/bin/deploy", "-i changes which files" },
    { { "env", "-u", "PATH", "deploy" }, "/bin/deploy", "PATH changes which files" },
    { { "env", "-u", "LANG", "deploy" }, "/bin/deploy", NULL },
    { { "env", "PERL5OPT=-MEvil", "perl", "x.py" }, "/x.py", "PERL5OPT changes which files" },
    { { "env", "PROMPT_COMMAND=./x.sh", "deploy" }, "/x.sh", "PROMPT_COMMAND changes which" },
    { { "env", "BASH_FUNC_true%%=() { ./x.sh; }", "bash", "-c", "true" }, NULL, "BASH_FUNC_true" },
    { { "env", "A B=c", "deploy" }, NULL, "A B changes which files" },
    /* interpreters */
    { { "python3", "--", "x.py" }, "/x.py", NULL },
    { { "perl", "--", "x.py" }, "/x.py", NULL },
    { { "tclsh", "x.py" }, "/x.py", NULL },
    { { "tclsh", "--", "x.py" }, "/x.py", "can load any file" },
    { { "php", "--", "x.py" }, "/x.py", "can load any file" },
    { { "guile", "--", "x.py" }, "/x.py", "can load any file" },
    { { "escript", "--", "x.py" }, "/x.py", "can load any file" },
    { { "perl", "-S", "deploy" }, NULL, "perl -S can load any file" },
    { { "perl", "-I.", "-d:Evil", "x.py" }, NULL, "can load any file" },
    { { "perl", "-w", "x.py" }, "/x.py", NULL },
    { { "ruby", "-S", "deploy" }, NULL, "ruby -S can load any file" },
    { { "ruby", "-C", "sub", "y.sh" }, NULL, "ruby -C can load any file" },
    { { "ruby", "-X", "sub", "y.sh" }, NULL, "ruby -X can load any file" },
    { { "php", "-c", "sub", "x.py" }, "/x.py", "php -c can load any file" },
    { { "python3", "-W", "error::evil.Warning", "x.py" }, "/x.py", "python3 -W can load" },
    { { "python3", "-i", "x.py" }, "/x.py", "python3 -i can load" },
    { { "python3", "proj" }, "/proj/__main__.py", "is a directory" },
    { { "rscript", "x.py" }, "/x.py", "rscript decides itself" },
    { { "perl", "-n", "x.py", "./x.sh|" }, "/x.py", "may be run as a command" },
    { { "perl", "-p", "x.py", "| ./x.sh " }, "/x.py", "may be run as a command" },
    { { "perl", "x.py", "./x.sh |" }, "/x.py", "may be run as a command" },
    { { "perl", "-ne", "print", "./x.sh|" }, NULL, "may be run as a command" },
    { { "sh", "-c", "perl -n x.py './x.sh|'" }, "/x.py", "may be run as a command" },
    { { "perl", "-n", "x.py", "a|b", "x.sh" }, "/x.sh", NULL },
    { { "python3", "x.py", "./x.sh|" }, "/x.py", NULL },
    /* scripts that make what they run */
    { { "sh", "-c", "cp data.txt x.sh && sh x.sh" }, "/x.sh", "another command of it may write" },
    { { "sh", "-c", "cp data.txt gone && sh gone" }, NULL, "gone is no file now" },
    { { "sh", "-c", "tar xf data.txt && ./gone" }, NULL, "gone is no program now" },
    { { "sh", "-c", "gcc data.c -o x.sh && ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "dd if=data.txt of=x.sh; ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "install -m 755 data.txt x.sh && ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "git pull && ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "./x.sh && git pull" }, "/x.sh", "may write before" },
    { { "sh", "-c", "cat data.txt | tee x.sh; ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "ln -sf data.txt lnk; python3 x.py" }, "/x.py", "may write before" },
    { { "sh", "-c", "nice cp data.txt x.sh; nice ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "sh -c 'cp data.txt x.sh'; ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "uniq data.txt x.sh; sh -c ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "./x.sh; sub/y.sh" }, "/sub/y.sh", "may write before" },
    { { "nice", "sh", "-c", "touch x.sh; ./x.sh" }, "/x.sh", "may write before" },
    { { "sh", "-c", "cd sub && cp ../data.txt y.sh && ./y.sh" }, NULL, "may write before" },
    { { "sh", "-c", "echo x > x.sh; ./x.sh" }, "/x.sh", "more than the node understands" },
    { { "sh", "-c", "cp data.txt bin/uname && uname" }, NULL, "may write before" },
    { { "sh", "-c", "cp data.txt bin/uname && nice uname" }, NULL, "may write before" },
    { { "sh", "-c", "/bin/cp data.txt out && /usr/bin/env" }, NULL, NULL },
    { { "sh", "-c", "mkdir out && cp data.txt out" }, NULL, "may write before" },
    { { "sh", "-c", "/bin/mkdir out && /bin/cp data.txt out && echo done" }, NULL, NULL },
    { { "sh", "-c", "cat data.txt | grep a && ./x.sh && echo done" }, "/x.sh", NULL },
    { { "sh", "-c", "ls; test -f x.sh && sh x.sh | head -n 1" }, "/x.sh", NULL },
    { { "nice", "gone" }, NULL, "gone is no program now" },
    { { "sh", "-c", "gone" }, NULL, "gone is no program now" },
    /* login shells */
    { { "bash", "-lc", "deploy now" }, "/bin/deploy", "on the PATH of a login shell" },
    { { "bash", "--login", "-c", "uname" }, NULL, "on the PATH of a login shell" },
    { { "bash", "-l", "-c", "nice ./x.sh" }, "/x.sh", "nice is looked for on the PATH" },
    { { "sh", "-lc", "/usr/bin/nice uname" }, NULL, "uname is looked for on the PATH" },
    { { "bash", "-lc", "sh -c uname" }, NULL, "uname is looked for on the PATH" },
    { { "bash", "-lc", "./by-env" }, "/bin/deploy", "deploy is looked for on the PATH" },
    { { "-sh", "-c", "uname" }, NULL, "uname is looked for on the PATH" },
    { { "bash", "-l", "deploy" }, "/bin/deploy", "is no file now" },
    { { "bash", "-l", "x.sh" }, "/x.sh", NULL },
    { { "bash", "-lc", "echo hi && ./x.sh" }, "/x.sh", NULL },
    /* plain programs that are told to run something */
    { { "tool", MANY_PIECES ",./x.sh" }, NULL, "has more parts than the node looks at" },
    { { "tool", MANY_PIECES }, NULL, NULL },
    { { "tool", "-I", "./x.sh", "-cf", "out" }, "/x.sh", "x.sh is a program or script" },
    { { "tool", "--any=./x.sh" }, "/x.sh", "x.sh is a program or script" },
    { { "tool", "-I./x.sh" }, "/x.sh", "x.sh is a program or script" },
    { { "tool", "a=b=./x.sh" }, "/x.sh", "x.sh is a program or script" },
    { { "tool", "--do", "nice ./x.sh" }, "/x.sh", "x.sh is a program or script" },
    { { "tool", "deploy" }, "/bin/deploy", "deploy is a program or script" },
    { { "tool", "--with=deploy" }, "/bin/deploy", "deploy is a program or script" },
    { { "tool", "plain.py" }, "/plain.py", "plain.py is a program or script" },
    { { "tool", "--to-command=cat" }, NULL, "may tell this program to run" },
    { { "tool", "--run", "x" }, NULL, "may tell this program to run" },
    { { "tool", "-wrapper", "x" }, NULL, "may tell this program to run" },
    { { "tool", "-e", "sh data.txt" }, NULL, "may tell this program to run" },
    { { "tool", "--x=sh data.txt" }, NULL, "may tell this program to run" },
    { { "tool", "sh", "data.txt" }, NULL, "may tell this program to run" },
    { { "tool", "!data.txt" }, NULL, "may tell this program to run" },
    { { "tool", "data.txt|" }, NULL, "may tell this program to run" },
    { { "tool", "alias.x=!gone" }, NULL, "may tell this program to run" },
    { { "tool", "state/key" }, NULL, "reads nothing for others" },
    { { "nice", "tool", "-I", "./x.sh" }, "/x.sh", "x.sh is a program or script" },
    { { "sh", "-c", "tool -I ./x.sh" }, "/x.sh", "x.sh is a program or script" },
    { { "tar", "cf", "o", "--checkpoint-action=exec=gone", "d" }, NULL, "--checkpoint-action" },
    { { "tar", "cf", "o", "--checkpoint-a=exec=gone", "d" }, NULL, "--checkpoint-a" },
    { { "tar", "-I", "gone", "-cf", "o", "d" }, NULL, "-I may tell" },
    { { "tar", "-cIf", "gone", "o", "d" }, NULL, "-cIf may tell" },
    { { "tar", "cIf", "gone", "o", "d" }, NULL, "cIf may tell" },
    { { "sort", "--compress-program=gone", "data.txt" }, NULL, "--compress-program" },
    { { "sort", "--comp=gone", "data.txt" }, NULL, "--comp=gone may tell" },
    { { "git", "-c", "core.fsmonitor=gone", "status" }, NULL, "-c may tell" },
    { { "git", "-c", "alias.x=!gone", "x" }, NULL, "-c may tell" },
    { { "git", "clone", "ext::gone" }, NULL, "ext::gone may tell" },
    { { "git", "bisect", "run", "gone" }, NULL, "run may tell" },
    { { "zip", "-q", "o", "d", "-T", "-TT", "gone" }, NULL, "-TT may tell" },
    { { "gcc", "-wrapper", "gone", "x.c" }, NULL, "-wrapper may tell" },
    { { "gcc-12", "-B./sub/", "x.c" }, NULL, "-B./sub/ may tell" },
    { { "wget", "--use-askpass=gone", "x" }, NULL, "--use-askpass" },
    { { "wget", "-e", "use_askpass=gone", "x" }, NULL, "-e may tell" },
    { { "gio", "launch", "data.desktop" }, "/data.desktop", "gio decides itself" },
    { { "tool", "data.desktop" }, "/data.desktop", "data.desktop is a program or script" },
    { { "cppcheck", "--addon=data.txt", "data.c" }, NULL, "--addon=data.txt may tell" },
    { { "tool", "--addon", "data.txt" }, NULL, "--addon may tell" },
    { { "tool", "--provider=data.txt" }, NULL, "--provider=data.txt may tell" },
    { { "ssh-keygen", "-D", "data.txt" }, NULL, "-D may tell" },
    { { "ssh-add", "-s", "data.txt" }, NULL, "-s may tell" },
    { { "pgbench", "-f", "data.txt" }, "/data.txt", "pgbench decides itself" },
    { { "service", "../../data.txt", "start" }, NULL, "../../data.txt may tell" },
    /* and ordinary uses of them */
    { { "ssh-keygen", "-t", "ed25519", "-f", "key" }, NULL, NULL },
    { { "cppcheck", "--enable=all", "data.c" }, NULL, NULL },
    { { "service", "ssh", "status" }, NULL, NULL },
    { { "tool", "-v", "--level=3", "data.txt", "sub", "gone" }, NULL, NULL },
    { { "tool", "--no-pager", "-o", "out", "/dev/null", "/usr/bin/env" }, NULL, NULL },
    { { "tar", "-czf", "out.tgz", "sub", "data.txt" }, NULL, NULL },
    { { "tar", "xf", "out.tgz" }, NULL, NULL },
    { { "git", "status" }, NULL, NULL },
    { { "git", "--no-pager", "log", "--oneline", "-n", "3", "--", "data.txt" }, NULL, NULL },
    { { "git", "switch", "-c", "topic" }, NULL, NULL },
    { { "git", "commit", "-am", "a text, and more: yes!" }, NULL, NULL },
    { { "sort", "-n", "-k", "2", "data.txt" }, NULL, NULL },
    { { "gcc", "-O2", "-Wall", "-o", "out", "data.c" }, NULL, NULL },
    { { "curl", "-fsS", "https://example.org/x?a=b" }, NULL, NULL },
    { { "ls", "-l", "sub" }, NULL, NULL },
    { { "cat", "./x.sh", "x.py" }, NULL, NULL },
    { { "grep", "-E", "a|b|", "x.sh" }, NULL, NULL },
    { { "nice", "cat", "./x.sh" }, NULL, NULL },
};

static bool has_ending(const struct oc_strv *v, const char *ending) {
    for (size_t i = 0; i < v->count; i++) {
        if (oc_ends_with(v->items[i], ending)) {
            return true;
        }
    }
    return false;
}

static void what_each_form_binds(void **state) {
    make_scene(*state);
    size_t wrong = 0;
    for (size_t i = 0; i < OC_COUNT(forms); i++) {
        const struct form *f = &forms[i];
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill_words(&v, f->argv);
        struct nd_exec_operand o;
        find_operand(&v, *state, &o);
        OC_AUTO_FREE char *words = oc_strv_join(&v, " "), *files = oc_strv_join(&o.files, ", "),
                          *unbound = oc_strv_join(&o.unbound, "; ");
        if ((f->bound && !has_ending(&o.files, f->bound)) || !f->unbound != !o.unbound.count ||
                (f->unbound && !strstr(unbound, f->unbound))) {
            print_error("%s: binds %s; not bound: %s\n", words, files, unbound);
            wrong++;
        }
        nd_exec_operand_finish(&o);
    }
    assert_int_equal(wrong, 0);
}

/* What is bound is seen to change, whatever stands in front of it. */
static void a_change_is_seen_in_each_form(void **state) {
    make_scene(*state);
    for (size_t i = 0; i < OC_COUNT(forms); i++) {
        const struct form *f = &forms[i];
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill_words(&v, f->argv);
        struct nd_exec_operand a, b;
        find_operand(&v, *state, &a);
        if (f->bound) {
            OC_AUTO_FREE char *path = oc_path_join(*state, f->bound + 1);
            bool is_json = oc_ends_with(path, ".json");
            OC_AUTO_BUF struct oc_buf text = { 0 };
            assert_int_equal(oc_file_read(path, 1000, &text, NULL), OC_OK);
            OC_AUTO_FREE char *more = oc_strfmt("%s%s", text.data, is_json ? " " : "# evil\n");
            oc_write_text(path, more);
            assert_int_equal(chmod(path, 0700), 0);
        }
        find_operand(&v, *state, &b);
        if ((strcmp(a.all, b.all) != 0) != (f->bound != NULL)) {
            OC_AUTO_FREE char *words = oc_strv_join(&v, " ");
            fail_msg("%s: %s", words, f->bound ? "its change was not seen" : "it looks different");
        }
        nd_exec_operand_finish(&a);
        nd_exec_operand_finish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_each_form_binds),
        TEST(a_change_is_seen_in_each_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
