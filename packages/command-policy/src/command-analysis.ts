/** What the shell will start with, and what helps to judge. */
export interface ShellContext {
  /** Where the shell starts: an absolute, real path. */
  cwd: string
  home: string
  /** Names of what earlier commands exported (`Object.keys(ctx.state.env)`): some change what a plain command does. */
  env?: Iterable<string>
  /**
   * Whether a name leads to the program that is known by it, rather than to something that the workspace brought (see
   * `createProgramLookup`). Without it every name is believed.
   */
  isProgram?: (name: string) => boolean
  /** Whether git, started there, runs nothing that the folder chose (see `isPlainRepository`). Without it: never. */
  isPlainRepository?: (folder: string) => boolean
  /** What git tracks there (see `trackedFiles`). Without it: anything below the folder. */
  trackedFiles?: (folder: string) => TrackedFiles | null | undefined
  /** It will have a terminal that can be typed into, so a pager would give whoever types a shell. */
  terminal?: boolean
}

/** The top of a repository, and the secrets in it that git tracks, as paths from there. */
export interface TrackedFiles {
  top: string
  secrets: readonly string[]
}

/** A file that a command names. */
export interface FileUse {
  /**
   * Absolute. A `..` in it goes up from wherever a link led: only the file system can resolve it
   * (`realpathSync.native`), `path.resolve` would be wrong.
   */
  path: string
  /** `tree`: everything below it. `glob`: the path is a pattern, with `*`, `?` and `[…]`. */
  spread?: 'tree' | 'glob'
  /** Of a tree: hidden files are passed over, but for those whose names match one of these patterns. */
  hidden?: readonly string[]
  /** Of a tree: only files are read whose names match one of these patterns. */
  only?: readonly string[]
  /** Of a tree: only what git tracks is read. The secrets among it are named one by one. */
  tracked?: true
  /** Only names, sizes and times are looked at (`ls`, `find`, `stat`), not what is in it. */
  names?: true
  /** The shell itself opens it: `> file`, `< file`. */
  redirected?: true
  /** To write it is what the program is there for: the words of `rm`, `touch` and `cp`, not `git log --output=file`. */
  meant?: true
}

export interface FoundAssignment {
  name: string
  /** Null when it is not literal. */
  value: string | null
  /** It cannot change which programs run or what they run (`CI`, `LC_ALL`, a variable of the script's own). */
  safe: boolean
}

export interface FoundRedirection {
  operator: string
  /** As written. */
  target: string
}

/** One simple command, wherever it was found. */
export interface FoundCommand {
  /** Its words, joined by one space: literal ones by their value, quoted where needed, others as written. For the card. */
  text: string
  /** The program's name at best guess, without its folder; null when there is no telling, or only assignments. */
  name: string | null
  /**
   * Its words at best guess, up to the first that cannot be guessed: known variables, tildes and braces put in
   * (`X=rm; $X ~` is `rm`, `/home/me`). For deny and ask rules; never for allow rules.
   */
  guess: { words: readonly string[]; complete: boolean }
  /** Null when a word is not literal, or when words may be added (`xargs`, `find -exec`). */
  argv: readonly string[] | null
  /** The literal words before the first that is not. */
  literalPrefix: readonly string[]
  assignments: readonly FoundAssignment[]
  redirections: readonly FoundRedirection[]
  /** How it was reached, outermost first: `substitution`, `bash -c`, `timeout`… Empty at the top. */
  via: readonly string[]
  /** Where it runs; null when that cannot be told. */
  cwd: string | null
  /** Every folder that it may run in; null when that cannot be told. */
  cwds: readonly string[] | null
  /** May run unasked by itself: its program, arguments, assignments and redirections only look. */
  harmless: boolean
  /** Why it is not harmless. */
  why?: string
  /**
   * All it does is to run another command, which stands behind it in the list, or to open files, which are among the
   * reads and writes: no allow rule need cover it.
   */
  transparent?: true
  /** Runs on another machine or in a container. */
  remote?: true
  /** Files that this very command reads and writes, its redirections included, as far as they are named. */
  reads: readonly FileUse[]
  writes: readonly FileUse[]
  /** Which of its words are files is known of its program. */
  known: boolean
  /** Set when it may use files that `reads` and `writes` do not name, although its program is known: says why. */
  opaque?: string
  /** Some of these files are known only when it runs: they stand in no word of it. */
  late?: true
}

export interface CommandAnalysis {
  /** Every simple command found anywhere inside, to any depth, in the order of the text. */
  commands: readonly FoundCommand[]
  /** What bash will run is known exactly: every word is literal, nothing but simple commands, lists and pipes. */
  plain: boolean
  /** Plain, and every part only looks: may run unasked anywhere, once its `reads` may be read. */
  harmless: boolean
  /** Why it is not harmless, as a sentence. */
  why?: string
  /**
   * May run unasked where it cannot write and has no network: all of it was seen and none of it seems to want to write.
   * Harmless commands are contained too.
   */
  contained: boolean
  whyNotContained?: string
  /** Files that are read, as far as they are named. */
  reads: readonly FileUse[]
  /** Files that are written, made or removed, as far as they are named: redirections, `rm`, `mv`, `tee`… */
  writes: readonly FileUse[]
  /** Set when it may read files that `reads` does not name: says why. */
  opaque?: string
  /** Set when a part cannot be seen before it runs (`eval "$x"`, `$x -rf`, a script from a pipe), so no deny rule can meet it: says why. */
  unseen?: string
  /** Set when it must never run, in any mode: says why. */
  floor?: string
  /** Set when it is too long, too deep or has too many parts for deny rules to be applied to all of it: says why. */
  overLimit?: string
}
