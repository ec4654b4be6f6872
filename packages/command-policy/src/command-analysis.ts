export interface ShellContext {
  /** Initial working directory: an absolute real path. */
  cwd: string
  home: string
  /**
   * Names of variables exported by earlier commands (`Object.keys(ctx.state.env)`). Some change what a plain command
   * does.
   */
  env?: Iterable<string>
  /**
   * True if the name resolves to the well-known program, not to one that the workspace provides (see
   * `createProgramLookup`). Without it, every name is trusted.
   */
  isProgram?: (name: string) => boolean
  /**
   * True if git, started in the folder, runs nothing that the folder configures (see `isPlainRepository`). Without it,
   * no folder is trusted.
   */
  isPlainRepository?: (folder: string) => boolean
  /**
   * Files that git tracks in the folder (see `trackedFiles`). Without it, anything below the folder counts as tracked.
   */
  trackedFiles?: (folder: string) => TrackedFiles | null | undefined
  /** The command gets an interactive terminal. A pager would then offer a shell to whoever types. */
  terminal?: boolean
}

/** The root of a repository and its tracked secrets, as paths relative to the root. */
export interface TrackedFiles {
  top: string
  secrets: readonly string[]
  /** All names, if all are files and no name has blanks, quotes or a leading dash. Absent if there are many. */
  names?: readonly string[]
}

export interface FileUse {
  /**
   * Absolute. A `..` applies after symlinks are resolved, so use `realpathSync.native`; `path.resolve` gives wrong
   * results.
   */
  path: string
  /** `tree`: everything below the path. `glob`: the path is a pattern with `*`, `?` and `[…]`. */
  spread?: 'tree' | 'glob'
  /** For a tree: hidden files are skipped unless their names match one of these patterns. */
  hidden?: readonly string[]
  /** For a tree: only files whose names match one of these patterns are read. */
  only?: readonly string[]
  /** For a tree: only files tracked by git are read. Secrets among them are listed separately. */
  tracked?: true
  /** Only metadata such as names, sizes and times is read (`ls`, `find`, `stat`), not the contents. */
  names?: true
  /** A file of the program's own settings. */
  own?: true
  /** Not named in the command, but listed by another one, such as `find`. */
  found?: true
  /** The shell itself opens the file: `> file`, `< file`. */
  redirected?: true
  /**
   * Writing the file is the program's purpose: the arguments of `rm`, `touch` and `cp`, but not `git log
   * --output=file`.
   */
  meant?: true
}

export interface FoundAssignment {
  name: string
  /** Null if not literal. */
  value: string | null
  /** True if it cannot change which programs run or what they run (`CI`, `LC_ALL`, a variable local to the script). */
  safe: boolean
}

export interface FoundRedirection {
  operator: string
  /** Unexpanded, as written. */
  target: string
}

export interface FoundCommand {
  /**
   * Words joined by one space, for display. Literal words show their value, quoted where needed. Others appear as
   * written.
   */
  text: string
  /** Best guess of the program name, without its folder. Null if unknown or if there are only assignments. */
  name: string | null
  /**
   * Best guess of the words, up to the first unknown one. Known variables, tildes and braces are expanded (`X=rm; $X ~`
   * is `rm`, `/home/me`). For deny and ask rules only, never for allow rules.
   */
  guess: { words: readonly string[]; complete: boolean }
  /** Null if a word is not literal or if words may be appended (`xargs`, `find -exec`). */
  argv: readonly string[] | null
  literalPrefix: readonly string[]
  assignments: readonly FoundAssignment[]
  redirections: readonly FoundRedirection[]
  /** Enclosing constructs, outermost first: `substitution`, `bash -c`, `timeout`… Empty at the top level. */
  via: readonly string[]
  /** Working directory, or null if unknown. */
  cwd: string | null
  cwds: readonly string[] | null
  /** May run without approval: its program, arguments, assignments and redirections only read. */
  harmless: boolean
  why?: string
  /** Only runs another command, listed after it, or opens files listed in `reads` and `writes`. Needs no allow rule. */
  transparent?: true
  remote?: true
  /** Files this command reads and writes, redirections included, as far as they are named. */
  reads: readonly FileUse[]
  writes: readonly FileUse[]
  /** True if the rules know which arguments of this program are files. */
  known: boolean
  /** Reason why a known program may use files missing from `reads` and `writes`. */
  opaque?: string
  /** Some of its files are known only at run time and appear in no word. */
  late?: true
}

export interface CommandAnalysis {
  commands: readonly FoundCommand[]
  /**
   * True if the executed commands are known exactly: all words are literal, with only simple commands, lists and pipes.
   */
  plain: boolean
  /** Plain and read-only in every part. May run anywhere without approval if its `reads` are allowed. */
  harmless: boolean
  why?: string
  /**
   * May run without approval in a sandbox without writes or network: fully visible, with no apparent intent to write.
   * Harmless commands are contained too.
   */
  contained: boolean
  whyNotContained?: string
  reads: readonly FileUse[]
  /** Files written, created or removed, as far as they are named: redirections, `rm`, `mv`, `tee`… */
  writes: readonly FileUse[]
  /** Reason it may read files missing from `reads`. */
  opaque?: string
  /**
   * Reason a part cannot be seen before it runs (`eval "$x"`, `$x -rf`, a script from a pipe), so deny rules cannot
   * check it.
   */
  unseen?: string
  /** Reason it must never run, in any mode. */
  floor?: string
  /** Reason deny rules cannot check all of it: too long, too deep or too many parts. */
  overLimit?: string
}
