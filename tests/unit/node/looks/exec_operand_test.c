#include "node/looks/exec_operand.h"

#include "lib/files/file.h"
#include "tests/unit/unit.h"

#define PATH_ENV "/usr/bin:/bin"
/* As commands see it; the state directory is "state" in there. */
static bool find(const struct oc_strv *v, const char *dir, struct nd_exec_operand *ret) {
    OC_AUTO_FREE char *state = oc_path_join(dir, "state"), *bin = oc_path_join(dir, "bin");
    OC_AUTO_FREE char *path_env = oc_strfmt("%s:%s", bin, PATH_ENV);
    return nd_exec_operand_find(v,
            &(struct nd_exec_place){ .cwd = dir, .path_env = path_env, .state_dir = state }, ret);
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void fill(struct oc_strv *v, const char *const *argv) {
    for (; *argv; argv++) {
        oc_strv_add(v, *argv);
    }
}

static void expect(const char *dir, const char *const *argv, int index) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, argv);
    struct nd_exec_operand o = { 0 };
    bool found = find(&v, dir, &o);
    if (found != (index >= 0) || (found && o.index != (size_t)index)) {
        fail_msg("%s %s: %d", argv[0], argv[1] ? argv[1] : "", found ? (int)o.index : -1);
    }
    nd_exec_operand_finish(&o);
}

static void which_file_decides(void **state) {
    OC_AUTO_FREE char *script = oc_path_join(*state, "x.py"), *tool = oc_path_join(*state, "tool"),
                      *binary = oc_path_join(*state, "binary");
    oc_write_text(script, "print(1)\n");
    oc_write_text(tool, "#!/bin/sh\n");
    oc_write_text(binary, "\x7f"
                          "ELF");
    OC_AUTO_FREE char *bare = oc_path_join(*state, "bare"), *shell = oc_path_join(*state, "bash-2");
    oc_write_text(bare, "echo hi\n");
    oc_write_text(shell, "\x7f"
                         "ELF");
    assert_int_equal(chmod(tool, 0700) | chmod(binary, 0700) | chmod(bare, 0700), 0);
    assert_int_equal(chmod(shell, 0700), 0);
    OC_AUTO_FREE char *interpreter = oc_path_join(*state, "harmless");
    assert_int_equal(symlink("/bin/bash", interpreter), 0);
    expect(*state, ARGV("python3", "x.py"), 1);
    expect(*state, ARGV("/usr/bin/python3.11", "-u", "x.py", "arg"), 2);
    expect(*state, ARGV("python3", script), 1);
    expect(*state, ARGV("env", "python3", "x.py"), 2);
    expect(*state, ARGV("sh", "x.py"), 1);
    expect(*state, ARGV("./tool"), 0);
    expect(*state, ARGV(tool, "x.py"), 0);
    expect(*state, ARGV("./binary"), 0);         /* a program that is not the system's */
    expect(*state, ARGV("./bare", "x.py"), 0);   /* execvp runs it with a shell */
    expect(*state, ARGV("./bash-2", "x.py"), 1); /* the script before the interpreter */
    expect(*state, ARGV("gone"), -1);
    expect(*state, ARGV("/bin/true", "x.py"), -1);
    expect(*state, ARGV("./x.py"), -1); /* nobody can execute it */
    /* -e, -p and -m take code in one interpreter and are plain switches in the next */
    expect(*state, ARGV("bash", "-e", "x.py"), 2);
    expect(*state, ARGV("bash", "-p", "x.py"), 2);
    expect(*state, ARGV("bash", "-m", "x.py"), 2);
    expect(*state, ARGV("bash", "-ec", "x.py"), 2);
    expect(*state, ARGV("python3", "-c", "1", "x.py"), 3);
    expect(*state, ARGV("sh", "-lc", "x.py"), 2);
    expect(*state, ARGV("node", "--require=./x.py", "-e", "1"), 1);
    expect(*state, ARGV("awk", "-fx.py"), 1);
    expect(*state, ARGV("bash", "--rcfile", "x.py", "-i"), 2);
    expect(*state, ARGV(interpreter, "x.py"), 1); /* what it links to counts */
    OC_AUTO_FREE char *link = oc_path_join(*state, "link"), *detour = oc_strfmt("/usr/..%s", link);
    assert_int_equal(symlink("/bin/true", link), 0);
    expect(*state, ARGV("/bin/true"), -1);
    expect(*state, ARGV("./link"), 0); /* the system's, but anybody may have it lead elsewhere */
    expect(*state, ARGV(detour), 0);
    OC_AUTO_FREE char *dir = oc_path_join(*state, "proj"), *main = oc_path_join(dir, "__main__.py");
    assert_int_equal(mkdir(dir, 0700), 0);
    expect(*state, ARGV("python3", "proj"), -1);
    oc_write_text(main, "print(1)\n");
    expect(*state, ARGV("python3", "-I", "proj"), 2);
    expect(*state, ARGV("python3", "gone.py"), -1);
    expect(*state, ARGV("python3", "."), -1);
    expect(*state, ARGV("python3"), -1);
    expect(*state, ARGV("cat", "x.py"), -1);
}

static void hashes(void **state) {
    OC_AUTO_FREE char *script = oc_path_join(*state, "x.sh");
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, ARGV("sh", "x.sh"));
    struct nd_exec_operand a, b;
    oc_write_text(script, "");
    assert_true(find(&v, *state, &a));
    assert_int_equal(strlen(a.content), 64);
    assert_string_not_equal(/* whoever guesses what is in there must not be able to try */
            a.content, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    oc_write_text(script, "x");
    assert_true(find(&v, *state, &b));
    assert_string_not_equal(a.content, b.content);
    assert_string_equal(a.path, b.path);
    nd_exec_operand_finish(&a);
    nd_exec_operand_finish(&b);
}

static void expect_change(const char *dir, const struct oc_strv *v, char last[65], bool changes) {
    struct nd_exec_operand o;
    assert_true(find(v, dir, &o));
    assert_int_equal(strcmp(o.all, last) != 0, changes);
    memcpy(last, o.all, sizeof(o.all));
    nd_exec_operand_finish(&o);
}

/* Not only the first: which of them is the program is the interpreter's business. */
static void every_file_counts(void **state) {
    OC_AUTO_FREE char *hook = oc_path_join(*state, "hook.js"), *main = oc_path_join(*state, "main"),
                      *other = oc_path_join(*state, "other"), *link = oc_path_join(*state, "link");
    OC_AUTO_STRV struct oc_strv v = { 0 };
    char last[65] = "";
    fill(&v, ARGV("node", "-r", "hook.js", "link", "missing"));
    oc_write_text(hook, "1");
    oc_write_text(main, "2");
    oc_write_text(other, "2");
    assert_int_equal(symlink("main", link), 0);
    expect_change(*state, &v, last, true);
    expect_change(*state, &v, last, false);
    oc_write_text(main, "3");
    expect_change(*state, &v, last, true);
    oc_write_text(main, "2");
    expect_change(*state, &v, last, true);
    assert_int_equal(unlink(link) | symlink("other", link), 0);
    expect_change(*state, &v, last, true); /* the same text, but another file */
    OC_AUTO_FREE char *missing = oc_path_join(*state, "missing");
    oc_write_text(missing, "");
    expect_change(*state, &v, last, true);
    struct nd_exec_operand o;
    assert_true(find(&v, *state, &o));
    assert_int_equal(o.count, 3);
    assert_true(oc_ends_with(o.path, "/hook.js"));
    nd_exec_operand_finish(&o);
}

/* What is not read any more is known by its inode and times. */
static void many_files_and_large_ones(void **state) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    char last[65] = "";
    OC_AUTO_FREE char *big = oc_path_join(*state, "big");
    oc_write_text(big, "x");
    assert_int_equal(truncate(big, 17 << 20), 0);
    fill(&v, ARGV("sh", "big"));
    expect_change(*state, &v, last, true);
    struct nd_exec_operand o;
    assert_true(find(&v, *state, &o));
    assert_string_equal(o.content, "");
    nd_exec_operand_finish(&o);
    assert_int_equal(truncate(big, 18 << 20), 0);
    expect_change(*state, &v, last, true);
    for (int i = 0; i < 100; i++) {
        OC_AUTO_FREE char *name = oc_strfmt("f%d.sh", i), *path = oc_path_join(*state, name);
        oc_write_text(path, "one");
        oc_strv_add(&v, name);
    }
    expect_change(*state, &v, last, true);
    expect_change(*state, &v, last, false);
    OC_AUTO_FREE char *path = oc_path_join(*state, "f99.sh");
    oc_write_text(path, "three");
    expect_change(*state, &v, last, true);
}

/* The same text elsewhere has another seal: nobody learns what is in a file by writing guesses to
 * another one. */
static void a_seal_cannot_be_guessed_by_a_copy(void **state) {
    OC_AUTO_FREE char *one = oc_path_join(*state, "one"), *two = oc_path_join(*state, "two");
    oc_write_text(one, "1234");
    oc_write_text(two, "1234");
    struct nd_exec_operand a, b;
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    fill(&v, ARGV("sh", "one"));
    fill(&w, ARGV("sh", "two"));
    assert_true(find(&v, *state, &a) && find(&w, *state, &b));
    assert_string_not_equal(a.content, b.content);
    nd_exec_operand_finish(&a);
    nd_exec_operand_finish(&b);
}

static void write_script(const char *dir, const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    oc_write_text(path, text);
    assert_int_equal(chmod(path, 0700), 0);
}

static void write_tool(const char *dir, const char *name) {
    write_script(dir, name, "#!/bin/sh\n");
}

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

/* Data is no part of what is bound, scripts are: the file that is written, and whether that
 * counts. */
static const struct reader {
    const char *argv[8];
    const char *file;
    bool is_bound;
} data_readers[] = {
    { { "sed", "-n", "1p", "data.txt" }, "data.txt", false },
    { { "sed", "-f", "data.txt", "x" }, "data.txt", true },
    { { "awk", "{print}", "data.txt" }, "data.txt", false },
    { { "awk", "-f", "data.txt" }, "data.txt", true },
    { { "awk", "-fdata.txt" }, "data.txt", true },
    { { "awk", "--file=data.txt" }, "data.txt", true },
    { { "less", "-R", "data.txt" }, "data.txt", false },
    { { "python3", "x.py", "data.txt" }, "data.txt", false },
    { { "python3", "x.py", "--log=data.txt" }, "data.txt", false },
    { { "python3", "x.py", "data.txt" }, "x.py", true },
    { { "python3", "x.py", "plain.py" }, "plain.py", true },
    { { "python3", "x.py", "line" }, "line", true },
    { { "python3", "data.txt" }, "data.txt", true },
    { { "python3", "-X", "dev", "data.txt" }, "data.txt", true },
    { { "python3", "-c", "1", "data.txt" }, "data.txt", false },
    { { "perl", "-ne", "print", "data.txt" }, "data.txt", false },
    { { "perl", "data.txt" }, "data.txt", true },
    { { "node", "-r", "data.txt", "x.py" }, "data.txt", true },
    { { "sh", "data.txt" }, "data.txt", true },
    { { "sh", "x.sh", "data.txt" }, "data.txt", false },
    { { "sh", "x.sh", "plain.py" }, "plain.py", true },
    { { "sh", "-c", "sed -n 1p data.txt" }, "data.txt", false },
    { { "sh", "-c", "grep x data.txt > out" }, "data.txt", false },
    { { "sh", "-c", ". ./data.txt > out" }, "data.txt", true },
    { { "sh", "-c", "sh -e data.txt > out" }, "data.txt", true },
    { { "sh", "-c", "X=1 x.sh; cat data.txt" }, "x.sh", true },
    { { "nice", "cat", "data.txt" }, "data.txt", false },
    { { "nice", "sh", "data.txt" }, "data.txt", true },
    { { "nice", "--new-option", "sh", "data.txt" }, "data.txt", true },
    { { "tool", "data.txt" }, "data.txt", false },
    { { "rscript", "data.txt" }, "data.txt", true },
    { { "rscript", "x.py", "data.txt" }, "data.txt", false },
    { { "make", "-f", "data.txt" }, "data.txt", true },
};

static void make_scene(const char *dir) {
    static const char *const dirs[] = { "bin", "sub", "proj", "app", "app/lib", "plain", "broken",
        "both", "escaped", "slash", "slash/sub", "twice", "typed", "state", "state/workspace" };
    static const char *const tools[] = { "bin/deploy", "bin/node", "bin/make", "bin/npm", "bin/npx",
        "bin/pip", "bin/cargo", "bin/zsh", "bin/ruby", "bin/fish", "bin/ksh", "bin/mksh", "bin/php",
        "bin/perl", "bin/tool", "bin/tclsh", "bin/guile", "bin/escript", "slash/sub.js",
        "slash/sub/index.js", "typed.ts", "typed/index.js", "bin/rscript", "bin/chrt", "bin/time",
        "own", "both.js", "both/index.js", "escaped/index.js", "twice/index.js", "x.sh", "sub/y.sh",
        "x.py", "proj/__main__.py", "app/lib/run.js", "plain/index.js", "state/key",
        "state/workspace/x.sh" };
    for (size_t i = 0; i < OC_COUNT(dirs); i++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, dirs[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < OC_COUNT(tools); i++) {
        write_tool(dir, tools[i]);
    }
    OC_AUTO_FREE char *app = oc_path_join(dir, "app/package.json"),
                      *broken = oc_path_join(dir, "broken/package.json"),
                      *link = oc_path_join(dir, "to-state");
    static const struct {
        const char *name, *text;
    } scripts[] = {
        { "both/package.json", "{\"main\":\"index.js\"}" },
        { "by-env", "#!/usr/bin/env deploy\n" },
        { "by-split", "#!/usr/bin/env -S sh ./x.sh\n" },
        { "by-make", "#! make -f\n" },
        { "by-itself", "#!./by-itself\n" },
        { "escaped/package.json", "{\"main\":\"\\u0072eal.js\"}" },
        { "slash/package.json", "{\"main\":\"sub/\"}" },
        { "twice/package.json", "{\"main\":\"index.js\",\"main\":\"real.js\"}" },
    };
    for (size_t i = 0; i < OC_COUNT(scripts); i++) {
        write_script(dir, scripts[i].name, scripts[i].text);
    }
    OC_AUTO_FREE char *own = oc_strfmt("#!%s/own\n", dir), *far = oc_strfmt("#!/%0300d\n", 0);
    write_script(dir, "by-own", own);
    write_script(dir, "by-long", far);
    write_script(dir, "big", "");
    write_script(dir, "make", "");
    static const char *const data[][2] = { { "data.txt", "a\n" }, { "plain.py", "print(1)\n" },
        { "line", "#!/bin/sh\n" }, { "data.c", "int x;\n" },
        { "data.desktop", "[Desktop Entry]\n" } };
    for (size_t i = 0; i < OC_COUNT(data); i++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, data[i][0]);
        oc_write_text(path, data[i][1]);
    }
    OC_AUTO_FREE char *big = oc_path_join(dir, "big"), *pipe = oc_path_join(dir, "pipe"),
                      *lnk = oc_path_join(dir, "lnk"), *login = oc_path_join(dir, "bin/-sh");
    assert_int_equal(truncate(big, (16 << 20) + 1), 0);
    assert_int_equal(mkfifo(pipe, 0600) | symlink("sub", lnk) | symlink("/bin/sh", login), 0);
    oc_write_text(app, "{\"main\":\"./lib/run\"}");
    oc_write_text(broken, "{\"main\":\"gone\"}");
    assert_int_equal(symlink("state", link), 0);
}

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
        fill(&v, f->argv);
        struct nd_exec_operand o;
        find(&v, *state, &o);
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
        fill(&v, f->argv);
        struct nd_exec_operand a, b;
        find(&v, *state, &a);
        if (f->bound) {
            OC_AUTO_FREE char *path = oc_path_join(*state, f->bound + 1);
            bool is_json = oc_ends_with(path, ".json");
            OC_AUTO_BUF struct oc_buf text = { 0 };
            assert_int_equal(oc_file_read(path, 1000, &text, NULL), OC_OK);
            OC_AUTO_FREE char *more = oc_strfmt("%s%s", text.data, is_json ? " " : "# evil\n");
            oc_write_text(path, more);
            assert_int_equal(chmod(path, 0700), 0);
        }
        find(&v, *state, &b);
        if ((strcmp(a.all, b.all) != 0) != (f->bound != NULL)) {
            OC_AUTO_FREE char *words = oc_strv_join(&v, " ");
            fail_msg("%s: %s", words, f->bound ? "its change was not seen" : "it looks different");
        }
        nd_exec_operand_finish(&a);
        nd_exec_operand_finish(&b);
    }
}

static void data_may_grow_but_scripts_may_not(void **state) {
    make_scene(*state);
    size_t wrong = 0;
    for (size_t i = 0; i < OC_COUNT(data_readers); i++) {
        const struct reader *r = &data_readers[i];
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill(&v, r->argv);
        OC_AUTO_FREE char *path = oc_path_join(*state, r->file), *words = oc_strv_join(&v, " ");
        OC_AUTO_BUF struct oc_buf text = { 0 };
        assert_int_equal(oc_file_read(path, 1000, &text, NULL), OC_OK);
        OC_AUTO_FREE char *more = oc_strfmt("%s# more\n", text.data);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        struct nd_exec_operand a, b;
        find(&v, *state, &a);
        oc_write_text(path, more);
        assert_int_equal(chmod(path, st.st_mode & 0777), 0);
        find(&v, *state, &b);
        if ((strcmp(a.all, b.all) != 0) != r->is_bound) {
            print_error("%s: %s is %s\n", words, r->file, r->is_bound ? "not bound" : "bound");
            wrong++;
        }
        nd_exec_operand_finish(&a);
        nd_exec_operand_finish(&b);
    }
    assert_int_equal(wrong, 0);
}

/* What can be run as it is, or becomes so, is no data. */
static void data_that_becomes_a_program_is_seen(void **state) {
    make_scene(*state);
    OC_AUTO_FREE char *path = oc_path_join(*state, "data.txt"),
                      *gone = oc_path_join(*state, "gone");
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    char last[65] = "", other[65] = "";
    fill(&v, ARGV("python3", "x.py", "data.txt"));
    fill(&w, ARGV("nice", "tool", "gone"));
    expect_change(*state, &v, last, true);
    expect_change(*state, &w, other, true);
    assert_int_equal(chmod(path, 0700), 0);
    expect_change(*state, &v, last, true);
    oc_write_text(path, "#!/bin/sh\n");
    assert_int_equal(chmod(path, 0600), 0);
    expect_change(*state, &v, last, true);
    oc_write_text(gone, "a\n");
    expect_change(*state, &w, other, false);
    write_tool(*state, "gone");
    expect_change(*state, &w, other, true);
}

/* So many are looked at, and whoever approves is told about the rest. */
static void words_that_are_too_many(void **state) {
    make_scene(*state);
    static const char *const starts[][4] = { { "sh", "x.sh" }, { "tool" }, { "nice", "tool" },
        { "make" }, { "nice", "--new-option" }, { "sh", "-c", "true" }, { "cat" } };
    for (size_t i = 0; i < OC_COUNT(starts); i++) {
        atomic_uint steps = 0;
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill(&v, starts[i]);
        for (int k = 0; k < 1000; k++) {
            oc_strv_add(&v, "w");
        }
        struct nd_exec_operand o;
        OC_AUTO_FREE char *path_env = oc_strfmt("%s/bin:" PATH_ENV, (const char *)*state);
        nd_exec_operand_find(&v,
                &(struct nd_exec_place){ .cwd = *state, .path_env = path_env, .steps = &steps },
                &o);
        OC_AUTO_FREE char *unbound = oc_strv_join(&o.unbound, "; ");
        bool is_told = strstr(unbound, "more words than the node looks at") != NULL;
        if (is_told != (strcmp(v.items[0], "cat") != 0) || atomic_load(&steps) > 300) {
            fail_msg("%s: %u words, %s", v.items[0], atomic_load(&steps), unbound);
        }
        nd_exec_operand_finish(&o);
    }
}

static void a_look_that_nobody_waits_for_ends(void **state) {
    make_scene(*state);
    atomic_uint steps = 0;
    atomic_bool is_cancelled = true;
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, ARGV("sh", "x.sh", "plain.py", "x.py"));
    struct nd_exec_operand o;
    nd_exec_operand_find(&v,
            &(struct nd_exec_place){ .cwd = *state,
                    .path_env = PATH_ENV,
                    .is_cancelled = &is_cancelled,
                    .steps = &steps },
            &o);
    assert_int_equal(atomic_load(&steps), 0);
    assert_int_equal(o.count, 1); /* the script was there before the words */
    nd_exec_operand_finish(&o);
}

/* Nothing of the node's own, of the kernel or of a device is opened: nothing of it is in what is
 * told. */
static void private_files_are_not_described(void **state) {
    make_scene(*state);
    OC_AUTO_FREE char *fifo = oc_path_join(*state, "fifo"),
                      *key = oc_path_join(*state, "state/key");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    static const char *const words[] = { "state/key", "to-state/key", "/proc/self/environ",
        "/dev/zero", "fifo" };
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        OC_AUTO_STRV struct oc_strv v = { 0 };
        fill(&v, ARGV("sh", words[i]));
        struct nd_exec_operand a, b;
        assert_false(find(&v, *state, &a));
        assert_true(a.content[0] == '\0' && !a.path && a.files.count == 0);
        oc_write_text(key, i % 2 ? "one" : "three");
        find(&v, *state, &b);
        assert_string_equal(a.all, b.all);
        nd_exec_operand_finish(&a);
        nd_exec_operand_finish(&b);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(which_file_decides),
        TEST(hashes),
        TEST(every_file_counts),
        TEST(many_files_and_large_ones),
        TEST(a_seal_cannot_be_guessed_by_a_copy),
        TEST(what_each_form_binds),
        TEST(a_change_is_seen_in_each_form),
        TEST(data_may_grow_but_scripts_may_not),
        TEST(data_that_becomes_a_program_is_seen),
        TEST(words_that_are_too_many),
        TEST(a_look_that_nobody_waits_for_ends),
        TEST(private_files_are_not_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
