#include "node/argv/exec_words.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "node/argv/exec_forms.h"
#include "node/argv/exec_option_names.h"

#include <string.h>

#define BLANKS " \t\r\n"

/* What programs call their own way. */
static const struct words_row {
    const char *const *programs;
    const char *letters;            /* of short options, anywhere in a word of them */
    const char *const *starts;      /* words that begin like this */
    const char *const *long_names;  /* or with any beginning of one: --use-comp */
    const char *const *subcommands; /* and whole words */
} rows[] = {
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
    { NAMES("apt", "apt-cache", "apt-get", "aptitude"), "co", NAMES(NULL),
            NAMES("option", "config-file"), NAMES(NULL) },
    { NAMES("c++", "c89-gcc", "c99-gcc", "cc", "clang", "clang++", "cpp", "g++", "gcc", "gfortran",
              "gnat", "gdc", "gccgo"),
            "",
            NAMES("-B", "@", "-Xclang", "-Xlinker", "-fuse-ld", "-fplugin", "-load", "--ld-path"),
            NAMES("prefix", "gcc-toolchain"), NAMES(NULL) },
    { NAMES("apropos", "catman", "mandb", "manpath", "whatis"), "C", NAMES(NULL), NAMES(NULL),
            NAMES(NULL) },
    { NAMES("ar", "as", "gold", "ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "nm", "objcopy",
              "objdump", "ranlib", "strip"),
            "", NAMES("@", "-B"), NAMES("plugin"), NAMES(NULL) },
    { NAMES("clang-tidy-diff", "git-clang-format", "run-clang-tidy"), "",
            NAMES("-clang-tidy-binary"), NAMES("binary"), NAMES(NULL) },
    { NAMES("clangd"), "", NAMES(NULL), NAMES("query-driver"), NAMES(NULL) },
    { NAMES("cobc"), "j", NAMES(NULL), NAMES("job"), NAMES(NULL) },
    { NAMES("cpio"), "", NAMES(NULL), NAMES("rsh-command"), NAMES(NULL) },
    { NAMES("cppcheck"), "", NAMES(NULL), NAMES("addon", "clang", "project", "rule-file"),
            NAMES(NULL) },
    { NAMES("curl"), "K", NAMES(NULL), NAMES("config", "engine"), NAMES(NULL) },
    { NAMES("diff3", "sdiff"), "", NAMES(NULL), NAMES("diff-program"), NAMES(NULL) },
    { NAMES("dpkg", "dpkg-deb"), "i", NAMES(NULL),
            NAMES("install", "unpack", "configure", "pre-invoke", "post-invoke", "status-logger",
                    "root", "instdir"),
            NAMES(NULL) },
    { NAMES("fpc"), "", NAMES("@", "-FD", "-FL", "-e", "-k"), NAMES(NULL), NAMES(NULL) },
    { NAMES("git"), "", NAMES("ext::", "fd::", "-x", "-O"),
            NAMES("config-env", "exec-path", "exec", "extcmd", "open-files-in-pager",
                    "receive-pack", "upload-pack", "template", "git-dir", "ext-diff"),
            NAMES("run", "foreach", "filter-branch") },
    /* hooks of the directory that they are given */
    { NAMES("git-receive-pack", "git-upload-archive", "git-upload-pack"), "", NAMES("/", "."),
            NAMES(NULL), NAMES(NULL) },
    { NAMES("gnatbind", "gnatchop", "gnatlink", "gnatmake"), "",
            NAMES("--GCC", "--GNAT", "--LINK", "-P"), NAMES(NULL), NAMES(NULL) },
    { NAMES("gpg", "gpgsm"), "", NAMES(NULL), NAMES("options", "homedir", "photo-viewer"),
            NAMES(NULL) },
    { NAMES("gpgtar"), "", NAMES(NULL), NAMES("gpg"), NAMES(NULL) },
    { NAMES("install"), "s", NAMES(NULL), NAMES("strip", "strip-program"), NAMES(NULL) },
    { NAMES("ip"), "b", NAMES(NULL), NAMES("batch"), NAMES("exec") },
    { NAMES("jarsigner", "javac", "javadoc", "keytool"), "",
            NAMES("-J", "-Xplugin", "-doclet", "-processor", "-provider", "@"), NAMES("processor"),
            NAMES(NULL) },
    { NAMES("ldd", "logrotate"), "", NAMES("/", "."), NAMES(NULL), NAMES(NULL) },
    { NAMES("llvm-cov"), "", NAMES("-Xdemangler"), NAMES("xdemangler"), NAMES(NULL) },
    { NAMES("mail", "mailx", "s-nail", "bsd-mailx"), "SX", NAMES(NULL), NAMES(NULL), NAMES(NULL) },
    { NAMES("openssl"), "", NAMES("-engine", "-provider", "-config"), NAMES(NULL),
            NAMES("engine") },
    { NAMES("osslsigncode"), "", NAMES("-pkcs11"), NAMES(NULL), NAMES(NULL) },
    { NAMES("rpcgen"), "Y", NAMES(NULL), NAMES(NULL), NAMES(NULL) },
    { NAMES("rpm", "rpmbuild"), "DEiUF", NAMES(NULL),
            NAMES("define", "eval", "install", "upgrade", "freshen", "macros", "rcfile", "load"),
            NAMES(NULL) },
    { NAMES("service"), "", NAMES(".", "/"), NAMES(NULL),
            NAMES(NULL) }, /* below /etc/init.d, or beside it */
    { NAMES("sort"), "", NAMES(NULL), NAMES("compress-program"), NAMES(NULL) },
    { NAMES("ssh-add"), "Ss", NAMES(NULL), NAMES(NULL), NAMES(NULL) },
    { NAMES("ssh-keygen"), "Dw", NAMES(NULL), NAMES(NULL), NAMES(NULL) },
    { NAMES("tar", "bsdtar", "gtar"), "IF", NAMES(NULL),
            NAMES("checkpoint-action", "info-script", "new-volume-script", "rmt-command",
                    "rsh-command", "to-command", "use-compress-program"),
            NAMES(NULL) },
    { NAMES("tcpdump"), "z", NAMES(NULL), NAMES("postrotate-command"), NAMES(NULL) },
    { NAMES("wget"), "e", NAMES(NULL), NAMES("execute", "use-askpass", "config"), NAMES(NULL) },
    { NAMES("zip"), "", NAMES("-TT"), NAMES("unzip-command"), NAMES(NULL) },
#undef NAMES
};

/* Not with their digits and the machine they are for cut off: x86_64-linux-gnu-gcc-12 is one. */
static const struct words_row *row_of(const char *name) {
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        for (const char *const *program = rows[i].programs; *program; program++) {
            size_t n = strlen(name), len = strlen(*program);
            if (strcmp(name, *program) == 0 || (n > len && name[n - len - 1] == '-' &&
                                                       strcmp(name + n - len, *program) == 0)) {
                return &rows[i];
            }
        }
    }
    return NULL;
}

/* "-cIf"; and "cIf", as tar takes its first word. */
static bool has_letter(const struct words_row *row, const char *word, size_t i) {
    bool is_cluster = word[0] == '-' ? word[1] != '-' : i == 1 && strchr(row->letters, 'I');
    return is_cluster && word[strcspn(word, row->letters)] != '\0';
}

static bool is_beginning(const char *word, const char *const *long_names) {
    char name[64];
    if (strncmp(word, "--", 2) != 0 || !nd_exec_option_name(word, name)) {
        return false;
    }
    for (; *long_names; long_names++) {
        if (oc_starts_with(*long_names, name)) {
            return true;
        }
    }
    return false;
}

static bool starts_like(const char *word, const char *const *starts) {
    for (; *starts; starts++) {
        if (oc_starts_with(word, *starts)) {
            return true;
        }
    }
    return false;
}

static bool is_known(const struct words_row *row, const char *word, size_t i) {
    return (row->letters[0] && has_letter(row, word, i)) || starts_like(word, row->starts) ||
           is_beginning(word, row->long_names) || oc_str_in(word, row->subcommands);
}

bool nd_exec_is_pipe_word(const char *word) {
    size_t len = strlen(word);
    while (len > 0 && oc_is_one_of(word[len - 1], BLANKS)) {
        len--;
    }
    return len > 1 && (word[strspn(word, BLANKS)] == '|' || word[len - 1] == '|');
}

/* Where the value behind the next "=" or ":" begins; NULL: there is none. */
static const char *next_value(const char *at) {
    at = strpbrk(at, "=:");
    return at ? at + 1 : NULL;
}

/* "!x", "|x", "x|": of the word, and of what is behind each "=" or ":". All of these have the same
 * end. */
static bool is_command_by_its_look(const char *word) {
    if (nd_exec_is_pipe_word(word)) {
        return true;
    }
    for (const char *at = word; at; at = next_value(at)) {
        const char *begin = at + strspn(at, BLANKS);
        if ((begin[0] == '!' && begin[1]) ||
                (begin[0] == '|' && begin[1 + strspn(begin + 1, BLANKS)])) {
            return true;
        }
    }
    return false;
}

static bool is_interpreter(const char *name) {
    enum nd_exec_form form = nd_exec_form_of(name, NULL);
    return form == ND_FORM_SHELL || form == ND_FORM_SCRIPT || form == ND_FORM_NODE;
}

/* "sh x" in one word, in a value, or in two words. */
static bool starts_an_interpreter(const char *word, bool is_last) {
    const char *value = strchr(word, '=');
    for (const char *at = word; at; at = at == word && value ? value + 1 : NULL) {
        const char *begin = at + strspn(at, " \t");
        size_t len = strcspn(begin, " \t\r\n");
        OC_AUTO_FREE char *first = oc_strndup(begin, len);
        const char *rest = begin + len + strspn(begin + len, " \t\r\n");
        if (len > 0 && (rest[0] || !is_last) && is_interpreter(first)) {
            return true;
        }
    }
    return false;
}

/* git -c name=value; git switch -c name is another one. */
static bool is_setting_of_git(const char *name, const struct oc_strv *argv, size_t i) {
    return strcmp(name, "git") == 0 && strcmp(argv->items[i], "-c") == 0 && i + 1 < argv->count &&
           strpbrk(argv->items[i + 1], "=.");
}

bool nd_exec_word_runs(const char *name, const struct oc_strv *argv, size_t i) {
    const char *word = argv->items[i];
    const struct words_row *row = row_of(name);
    return nd_exec_is_called_like_code(word) || (row && is_known(row, word, i)) ||
           is_command_by_its_look(word) || starts_an_interpreter(word, i + 1 == argv->count) ||
           is_setting_of_git(name, argv, i);
}
