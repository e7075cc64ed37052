/* What a program in a sandbox sees of files, and what it can do to them. */
#include "tests/unit/platform/linux/sandbox/sandbox_scene.h"

static void files_outside_are_out_of_reach(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = list_kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect_output(p, &how, "cat $SECRET; echo $?", "1\n");
        expect_output(p, &how, "echo x > $SECRET; echo $?", "2\n");
        expect_output(p, &how, "echo x >> $SECRET; echo $?", "2\n");
        expect_output(p, &how, "rm $SECRET; echo $?", "1\n");
        expect_output(p, &how, "rm -f here; mv $SECRET here; test -e here; echo $?", "1\n");
        expect_output(p, &how, "ln $SECRET here; test -e here; echo $?", "1\n");
        expect_output(p, &how, "rm -f here; ln -s $SECRET here; cat here; echo $?", "1\n");
        expect_output(p, &how, "cat /proc/self/root$SECRET; echo $?", "1\n");
        expect_output(p, &how, "echo x > new; mv new ../new; test -e ../new; echo $?", "1\n");
        expect_output(p, &how, "mkdir ../dir; test -e ../dir; echo $?", "1\n");
        expect_output(p, &how, "ls ..; echo $?", "2\n");
        expect_output(p, &how,
                "python3 -c \"import os; os.truncate(os.environ['SECRET'], 0)\"; echo $?", "1\n");
        expect_output(p, &how,
                "python3 -c \"import os; os.open(os.environ['SECRET'], os.O_TRUNC)\"; echo $?",
                "1\n");
        OC_AUTO_FREE char *text = read_text(p->secret);
        assert_string_equal(text, "the secret\n");
    }
}

/* Landlock says nothing about these; the mount namespace does. */
static void metadata_outside_cannot_be_changed(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    const struct sandbox_place *p = *state;
    struct stat before, after;
    assert_int_equal(stat(p->secret, &before), 0);
    expect_output(p, &strict, "chmod 777 $SECRET; echo $?", "1\n");
    expect_output(p, &strict, "touch -d 2001-01-01 $SECRET; echo $?", "1\n");
    expect_output(p, &strict, "chmod 700 ..; echo $?", "1\n");
    assert_int_equal(stat(p->secret, &after), 0);
    assert_int_equal(before.st_mode, after.st_mode);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
}

/* Landlock does not refuse to look at a name that one knows or guesses; the program's own root has
 * none. */
static void names_outside_do_not_exist(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    const struct sandbox_place *p = *state;
    struct os_sandbox_features all[2] = { kernel, kernel };
    all[1].own_proc = false;
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect_output(p, &how, "stat $SECRET > /dev/null; echo $?", "1\n");
        expect_output(p, &how, "cd .. && test -e secret; echo $?", "1\n");
        expect_output(p, &how,
                "cd /var/lib; cd /sys/fs/cgroup; cd /dev/pts; cd /dev/disk; pwd | wc -l; "
                "test -e /dev/sda -o -e /run/user -o -e /sys/class -o -e /boot; echo $?",
                "1\n1\n");
        expect_output(p, &how,
                "cat /dev/null; echo x > /dev/stdout; test -d /tmp -a -d /home; echo $?", "x\n0\n");
    }
    if (kernel.own_proc) { /* no path of the machine but those of its own places */
        expect_output(p, &strict,
                "cut -d' ' -f5 /proc/self/mountinfo | grep -Ev "
                "'^/($|proc|usr|bin|s?lib(32|64|x32)?$|etc|dev/[a-z]+$|tmp/)'; echo $?",
                "1\n");
        expect_output(p, &strict, "cut -d: -f3 /proc/self/cgroup | sort -u", "/\n");
        expect_output(
                p, &strict, "cat /proc/swaps /proc/partitions /proc/interrupts /proc/cmdline", "");
    }
}

/* Where nothing that it may use lies in them. */
static void tmp_is_of_its_own(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    (void)state;
    char made[] =
            "sandbox-XXXXXX"; /* the build's directory: not in /tmp, as those of temp_dir.h are */
    assert_non_null(mkdtemp(made));
    OC_AUTO_FREE char *dir = realpath(made, NULL);
    struct sandbox_place p = { .dir = dir };
    static const char *const parts[] = { "workspace", "run", "run/tmp", "run/shm", "run/home" };
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        OC_AUTO_FREE char *part = oc_strfmt("%s/%s", dir, parts[i]);
        assert_int_equal(mkdir(part, 0700), 0);
    }
    OC_AUTO_FREE char *workspace = oc_strfmt("%s/workspace", dir);
    OC_AUTO_FREE char *run_dir = oc_strfmt("%s/run", dir);
    p.workspace = workspace;
    p.run_dir = run_dir;
    p.secret = workspace;
    if (strncmp(dir, "/tmp/", 5) !=
            0) { /* a build in /tmp sees that one's directory there instead */
        expect_output(&p, &strict,
                "echo x > /tmp/a && cat /var/tmp/a && ls -A /tmp && cat $TMPDIR/a", "x\na\nx\n");
    }
    temp_dir_remove(oc_strdup(dir));
}

/* Links on the way to a place, and to a program, lead where they did. */
static void links_to_listed_places_are_there(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    OC_AUTO_FREE char *bin = oc_strfmt("%s/bin", p->dir), *tool = oc_strfmt("%s/bin/tool", p->dir);
    mkdir(bin, 0700);
    assert_int_equal(symlink("../bin/again", tool), 0);
    OC_AUTO_FREE char *again = oc_strfmt("%s/bin/again", p->dir);
    assert_int_equal(symlink("/usr/../bin/echo", again), 0);
    struct os_sandbox_spec how = strict;
    how.program = tool;
    struct outcome o;
    struct oc_error err = { 0 };
    int errnum = 0;
    const char *argv[] = { "tool", "ran", NULL };
    assert_int_equal(try_run(p, &how, tool, argv, &o, &errnum, &err), OC_OK);
    assert_string_equal(o.out.data, "ran\n");
    outcome_finish(&o);
}

/* By whatever way: it tells which programs and files others use, and when. */
static void files_cannot_be_watched(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = list_kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect_output(p, &how,
                "python3 -c '\nimport ctypes, errno, fcntl, os\n"
                "libc = ctypes.CDLL(None, use_errno=True)\n"
                "print([libc.inotify_init(), ctypes.get_errno() == errno.ENOSYS])\n"
                "print([libc.inotify_init1(0), ctypes.get_errno() == errno.ENOSYS])\n"
                "FAN_REPORT_FID = 0x200 # what a kernel gives to everybody, not only to root\n"
                "print([libc.fanotify_init(FAN_REPORT_FID, 0)])\n"
                "fd = os.open(\"/usr\", os.O_RDONLY)\n"
                "def attempt(*what):\n"
                "    try: fcntl.fcntl(fd, *what)\n"
                "    except OSError: return\n"
                "    print(what)\n"
                "attempt(fcntl.F_NOTIFY, 1)\n"
                "fd = os.open(\"leased\", os.O_CREAT | os.O_RDONLY)\n"
                "attempt(fcntl.F_SETLEASE, fcntl.F_RDLCK)\n"
                "fcntl.fcntl(fd, fcntl.F_GETFD)\n'",
                "[-1, True]\n[-1, True]\n[-1]\n");
        expect_output(p, &how,
                "echo 1 > grows; timeout 5 tail -n1 -f grows --pid=$$ 2> /dev/null | head -n1",
                "1\n");
    }
}

static void work_inside_is_as_usual(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = list_kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect_output(p, &how,
                "rm -rf * && mkdir -p a/b && echo text > a/b/c && mv a/b/c a/d && ln a/d a/e && "
                "ln -s d a/f && chmod 750 a/d && cat a/f && : > a/d && wc -c < a/e",
                "text\n0\n");
        expect_output(p, &how, "f=$(mktemp) && echo tmp > $f && cat $f && rm $f", "tmp\n");
        expect_output(
                p, &how, "printf '#!/bin/sh\\necho script\\n' > s; chmod +x s; ./s", "script\n");
        expect_output(p, &how, "echo a | sort > /dev/null && echo $?", "0\n");
        expect_output(p, &how, "sh -c 'kill -TERM $$'; echo $?", "143\n");
        expect_output(p, &how, "sleep 60 & kill $!; wait $!; echo $?", "143\n");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(files_outside_are_out_of_reach),
        TEST(metadata_outside_cannot_be_changed),
        TEST(names_outside_do_not_exist),
        TEST(tmp_is_of_its_own),
        TEST(links_to_listed_places_are_there),
        TEST(files_cannot_be_watched),
        TEST(work_inside_is_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
