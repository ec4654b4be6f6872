/** Texts for chats that work in their own git worktree. */
export const worktreeTexts = {
  worktrees: {
    title: 'Worktrees',
    about:
      'A chat in a worktree works on its own branch and in its own copy of the files. Several agents can work side by side. When you like the result, merge it.',
    name: 'What is it for?',
    namePlaceholder: 'For example: fix the login',
    base: 'Start from',
    basePlaceholder: 'The current branch',
    create: 'New chat in a worktree',
    creating: 'Creating…',
    none: 'No worktrees yet.',
    list: 'Worktrees of this folder',
    setupTitle: 'Setup command',
    setupAbout: 'Runs once in each new worktree, for example to install packages. It runs as you, outside the sandbox.',
    setupSave: 'Save',
    setupNone: 'No setup needed',
    setupSaved: 'Saved.',
    setupRunning: 'Setup is running…',
    setupFailed: 'Setup failed.',
    setupInterrupted: 'Setup was interrupted.',
    setupOutput: 'Output',
    manage: 'Manage',
    open: 'Open',
    openNamed: (name: string) => `Open ${name}`,
    openParent: 'Back to the main folder',
    here: 'in view',
    into: (branch: string, base: string) => `${branch} into ${base}`,
    files: (count: number) => (count === 1 ? '1 file' : `${count} files`),
    unchanged: 'Nothing to merge',
    behind: (count: number) => (count === 1 ? '1 commit behind' : `${count} commits behind`),
    missing: 'The folder no longer exists.',
    merge: 'Merge',
    actionsOf: (name: string) => `More for ${name}`,
    mergeNamed: (name: string) => `Merge ${name}`,
    squash: 'Squash and merge',
    update: 'Update from the base',
    pullRequest: 'Open a pull request',
    discard: 'Discard…',
    discardTitle: 'Discard this worktree?',
    discardText: 'This removes its folder and its branch.',
    discardKept: (changed: number, commits: number) =>
      `The repository keeps a copy of ${[
        ...(changed > 0 ? [changed === 1 ? '1 changed file' : `${changed} changed files`] : []),
        ...(commits > 0 ? [commits === 1 ? '1 commit' : `${commits} commits`] : []),
      ].join(' and ')}. The copy’s name is shown afterward.`,
    lostRepositories: (count: number) =>
      count === 1
        ? 'Deleted for good: 1 repository inside with changes or commits that exist nowhere else'
        : `Deleted for good: ${count} repositories inside with changes or commits that exist nowhere else`,
    lostIgnored: (count: number) =>
      count === 1
        ? 'Deleted for good: 1 file or folder that git ignores'
        : `Deleted for good: ${count} files and folders that git ignores`,
    lostMore: (count: number) => `and ${count} more`,
    lostUnknown: 'The folder is too large to check completely. It may contain other work that exists nowhere else.',
    discardConfirm: 'Discard',
    merged: (name: string, base: string) => `${name} is merged into ${base}.`,
    updated: (name: string) => `${name} has the latest changes from its base.`,
    discarded: 'Discarded.',
    kept: (ref: string) => `Discarded. A copy is kept as ${ref}.`,
    opened: (url: string) => `Pull request: ${url}`,
    conflict: 'The base also changed the same lines in these files:',
    resolve: 'Let an agent resolve it',
    resolvePrompt: (base: string, files: string) =>
      `The branch ${base} was merged into this worktree, and these files have conflicts:\n${files}\n\nResolve them: keep the intention of both sides, remove all conflict markers, and run the tests that concern these files. Do not commit.`,
  },
}
