import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const gitMarkSchema = z.enum(['modified', 'added', 'deleted', 'renamed', 'copied', 'retyped'])
export type GitMark = z.infer<typeof gitMarkSchema>

const gitFileSchema = z.object({
  path: z.string().describe('relative to the workspace'),
  from: z.string().optional().describe('the old path, if it was renamed or copied'),
  staged: gitMarkSchema.optional().describe('the index against the last commit'),
  unstaged: z
    .enum([...gitMarkSchema.options, 'untracked'])
    .optional()
    .describe('the file against the index'),
  conflicted: z.literal(true).optional(),
  submodule: z.literal(true).optional(),
  badName: z.literal(true).optional().describe('the name is not UTF-8, so the path is not exact'),
})
export type GitFile = z.infer<typeof gitFileSchema>

const readyStatusSchema = z.object({
  state: z.literal('ready'),
  root: z.string().describe('top folder of the working tree'),
  trusted: z.boolean().describe('hooks, filters and signing of the repository work'),
  branch: z.object({
    name: z.string().nullable().describe('null on a detached HEAD'),
    head: z.string().nullable().describe('null before the first commit'),
    upstream: z.string().nullable(),
    ahead: z.number(),
    behind: z.number(),
  }),
  operation: z.enum(['merge', 'rebase', 'cherry-pick', 'revert', 'bisect']).optional().describe('unfinished'),
  stashes: z.number(),
  files: z.array(gitFileSchema).describe('at most 5,000'),
  counts: z.object({ staged: z.number(), unstaged: z.number(), untracked: z.number(), conflicts: z.number() }),
  isCut: z.boolean().describe('true if there are more files than listed'),
  stagedVersion: z.string().describe('of everything staged; empty if nothing is'),
  stagedElsewhere: z.number().describe('staged files outside the workspace; a commit includes them'),
})
export type GitReadyStatus = z.infer<typeof readyStatusSchema>

const gitStatusSchema = z.discriminatedUnion('state', [
  readyStatusSchema,
  z.object({
    state: z.enum(['absent', 'none', 'elsewhere']).describe('git is not installed; no repository; not its repository'),
    gitDir: z.string().optional().describe('where ".git" leads, if it leads elsewhere'),
  }),
])
export type GitStatus = z.infer<typeof gitStatusSchema>

const gitPath = z.string().min(1).max(4096)
const hunkId = z.string().regex(/^[0-9a-f]{16}$/)

const gitDiffSchema = z.object({
  path: z.string(),
  from: z.string().optional(),
  change: z.enum(['created', 'changed', 'deleted', 'moved']),
  diff: z.string().describe('unified hunks without file headers'),
  added: z.number(),
  removed: z.number(),
  cut: z.literal(true).optional().describe('the diff was too long; it cannot be used in parts'),
  note: z
    .enum(['binary', 'secret', 'mode', 'submodule', 'conflict', 'too-long', 'not-a-file'])
    .optional()
    .describe('the reason that there are no lines'),
  mode: z.string().optional().describe('old and new mode, if it changed'),
  version: z.string().describe('of the file on disk; empty if there is none'),
  hunks: z.array(z.object({ id: hunkId, from: z.number(), to: z.number() })).describe('lines of the diff'),
})
export type GitDiff = z.infer<typeof gitDiffSchema>

const statusAnswer = z.object({ status: gitStatusSchema })

const partsBody = z.strictObject({
  files: z
    .array(z.strictObject({ path: gitPath, hunks: z.array(hunkId).min(1).max(1000).optional() }))
    .min(1)
    .max(5000)
    .describe('whole files, or some hunks of each'),
})

const branchName = z.string().min(1).max(250)

const gitErrors = 'NoRepository, GitFailed, GitBusy, FileChanged, GitLinked, NeedsTrust, NotWritable'

export const gitEndpoints = endpoints({
  'GET /ai/git/status': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Returns branch, counts and changed files of the workspace. Runs no program that the repository names. Without git or a repository, says so.',
    scoped: true,
    answers: { 200: gitStatusSchema, 409: 'GitFailed', 504: 'GitTimeout' },
  },
  'POST /ai/git/diff': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns diffs of changed files, in the order of git: of these paths, or of all.',
    body: z.strictObject({
      paths: z.array(gitPath).min(1).max(200).optional(),
      staged: z.boolean().optional().describe('the index against the last commit, not the files against the index'),
      secret: z.literal(true).optional().describe('the user wants to see files that may contain secrets'),
      offset: z.int().min(0).optional(),
      limit: z.int().min(1).max(1000).optional().describe('files; default 200'),
    }),
    scoped: true,
    answers: {
      200: z.object({
        files: z.array(gitDiffSchema),
        next: z.number().nullable().describe('the next offset, or null at the end'),
      }),
      409: 'NoRepository, GitFailed',
      504: 'GitTimeout',
    },
  },
  'GET /ai/git/branches': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists branches, the newest first, at most 500.',
    scoped: true,
    answers: {
      200: z.object({
        branches: z.array(
          z.object({
            name: z.string(),
            remote: z.boolean(),
            current: z.boolean(),
            subject: z.string().describe('of its last commit'),
            committedAt: z.number(),
          }),
        ),
        isCut: z.boolean(),
      }),
      409: 'NoRepository, GitFailed',
    },
  },
  'GET /ai/git/stashes': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists stashed changes, the newest first, at most 100.',
    scoped: true,
    answers: {
      200: z.object({ stashes: z.array(z.object({ id: z.string(), text: z.string(), createdAt: z.number() })) }),
      409: 'NoRepository, GitFailed',
    },
  },
})

export const gitChangeEndpoints = endpoints({
  'POST /ai/git/stage': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Stages files, or hunks of them as they were shown.',
    body: partsBody,
    scoped: true,
    answers: { 200: statusAnswer, 409: gitErrors, 504: 'GitTimeout', 507: 'DiskFull' },
  },
  'POST /ai/git/unstage': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Takes files, or hunks of them as they were shown, out of the next commit. The files stay as they are.',
    body: partsBody,
    scoped: true,
    answers: { 200: statusAnswer, 409: gitErrors, 504: 'GitTimeout', 507: 'DiskFull' },
  },
  'POST /ai/git/discard': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Restores files, or hunks of them, to what is staged, and deletes untracked files. Skips files that are not as they were shown. The undo journal keeps the old contents.',
    body: z.strictObject({
      sessionId: z.string().min(1).max(64).optional().describe('the chat that the undo data belongs to'),
      files: z
        .array(
          z.strictObject({
            path: gitPath,
            version: z.string().max(100).describe('of the file that was shown'),
            hunks: z.array(hunkId).min(1).max(1000).optional(),
          }),
        )
        .min(1)
        .max(500),
    }),
    scoped: true,
    answers: {
      200: z.object({
        status: gitStatusSchema,
        restored: z.array(z.string()),
        skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
        revertId: z.string().describe('to undo it'),
      }),
      404: 'SessionNotFound',
      409: gitErrors,
      504: 'GitTimeout',
      507: 'DiskFull',
    },
  },
  'POST /ai/git/commit': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Commits what is staged, unless that is no longer what was shown. In an untrusted folder no hook runs and nothing is signed.',
    body: z.strictObject({
      message: z.string().min(1).max(100_000),
      stagedVersion: z.string().max(64).describe('from the status that was shown'),
    }),
    scoped: true,
    answers: {
      200: z.object({ status: gitStatusSchema, commit: z.string(), subject: z.string() }),
      409: `${gitErrors}, StagedChanged, NothingStaged, GitIdentityMissing`,
      504: 'GitTimeout',
      507: 'DiskFull',
    },
  },
  'POST /ai/git/message': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Drafts a commit message for what is staged. Files that may contain secrets are not sent to the model.',
    body: z.strictObject({ model: z.string().max(200).optional() }),
    scoped: true,
    answers: {
      200: z.object({ message: z.string() }),
      409: 'NoRepository, NothingStaged, GitFailed',
      502: 'NoMessage',
    },
  },
  'POST /ai/git/branches': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Creates a branch at the current commit, or at another branch, and switches to it.',
    body: z.strictObject({ name: branchName, from: branchName.optional() }),
    scoped: true,
    answers: { 200: statusAnswer, 400: 'BadBranchName', 409: gitErrors, 504: 'GitTimeout', 507: 'DiskFull' },
  },
  'POST /ai/git/switch': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Switches to a branch. Keeps local changes, or changes nothing if they are in the way.',
    body: z.strictObject({ name: branchName }),
    scoped: true,
    answers: { 200: statusAnswer, 400: 'BadBranchName', 409: gitErrors, 504: 'GitTimeout', 507: 'DiskFull' },
  },
  'POST /ai/git/stashes': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Puts local changes aside.',
    body: z.strictObject({ message: z.string().max(1000).optional(), untracked: z.boolean().optional() }),
    scoped: true,
    answers: { 200: statusAnswer, 409: `${gitErrors}, NothingToStash`, 504: 'GitTimeout', 507: 'DiskFull' },
  },
  'POST /ai/git/stashes/pop': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Applies stashed changes and removes the stash. Keeps it if there are conflicts.',
    body: z.strictObject({ id: z.string().regex(/^[0-9a-f]{40,64}$/) }),
    scoped: true,
    answers: { 200: statusAnswer, 404: 'StashNotFound', 409: gitErrors, 504: 'GitTimeout', 507: 'DiskFull' },
  },
})

const worktreeSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  path: z.string().describe('folder to open as a workspace'),
  branch: z.string(),
  base: z.string().optional().describe('branch it merges into; absent if it started from a commit'),
  start: z.string().describe('commit it started from'),
  createdAt: z.number(),
  state: z.enum(['ready', 'missing']),
  files: z.number().describe('files changed since it left its base'),
  added: z.number(),
  removed: z.number(),
  uncommitted: z.number().describe('files with uncommitted changes'),
  ahead: z.number(),
  behind: z.number(),
  setup: z
    .object({
      command: z.string(),
      state: z.enum(['running', 'done', 'failed', 'interrupted']),
      output: z.string().describe('the end of it'),
    })
    .optional(),
})
export type Worktree = z.infer<typeof worktreeSchema>

const worktreeParams = z.object({ id: z.string() })
const text = (most: number) => z.string().trim().min(1).max(most)

export const worktreeEndpoints = endpoints({
  'GET /ai/worktrees': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Lists the worktrees made from the folder, or from the one it was made from, with their difference from the base.',
    scoped: true,
    answers: {
      200: z.object({
        worktrees: z.array(worktreeSchema),
        parent: z.object({ workspaceId: z.string(), path: z.string() }).describe('the folder they were made from'),
        setup: z.object({
          command: z.string().nullable().describe('runs in each new worktree'),
          asked: z.boolean().describe('the person has decided'),
          suggestion: z.string().nullable().describe('fits the lockfile of the folder'),
        }),
        forge: z.boolean().describe('pull requests can be opened'),
      }),
    },
  },
  'POST /ai/worktrees': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Creates a worktree on a new branch in the home folder and runs the setup command there.',
    body: z.strictObject({
      name: z.string().trim().max(200).optional(),
      base: text(500).optional().describe('branch or commit; default: the current branch'),
    }),
    scoped: true,
    answers: {
      200: z.object({ worktree: worktreeSchema }),
      400: 'BadBase',
      409: 'NeedsTrust, NoRepository, NoCommit, TooManyWorktrees, GitFailed',
    },
  },
  'PUT /ai/worktrees/setup': {
    access: { on: 'workspace', right: 'manage' },
    summary: 'Sets the command that prepares each new worktree of the folder. Null for none.',
    body: z.strictObject({ command: text(2000).nullable() }),
    scoped: true,
    answers: { 200: z.object({ ok: z.literal(true) }) },
  },
  'POST /ai/worktrees/:id/merge': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Commits everything in the worktree and merges it into its base. Never leaves a half-done merge.',
    params: worktreeParams,
    body: z.strictObject({ squash: z.boolean().optional(), message: text(10_000).optional() }),
    scoped: true,
    answers: {
      200: z.object({ commit: z.string(), base: z.string() }),
      404: 'WorktreeNotFound',
      409: 'MergeConflict with data.files, NoBase, GitFailed, GitIdentityMissing',
    },
  },
  'POST /ai/worktrees/:id/update': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Merges the base into the worktree and leaves conflicts there, for an agent to resolve.',
    params: worktreeParams,
    scoped: true,
    answers: { 200: z.object({ conflicts: z.array(z.string()) }), 404: 'WorktreeNotFound', 409: 'GitFailed' },
  },
  'POST /ai/worktrees/:id/discard': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Removes the worktree and its branch. If it has work that exists nowhere else, this needs `force`. Files and commits are then kept under refs/troupe/discarded; ignored files and repositories inside are not.',
    params: worktreeParams,
    body: z.strictObject({ force: z.boolean().optional() }),
    scoped: true,
    answers: {
      200: z.object({ kept: z.string().nullable().describe('ref that keeps the work') }),
      404: 'WorktreeNotFound',
      409: 'WorktreeUnsaved with data.uncommitted, data.ahead, data.ignored and data.repositories, WorktreeBusy',
    },
  },
  'POST /ai/worktrees/:id/pull-request': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Commits everything, pushes the branch and opens a pull request with gh or glab.',
    params: worktreeParams,
    body: z.strictObject({ title: text(300), body: z.string().max(50_000) }),
    scoped: true,
    answers: {
      200: z.object({ url: z.string() }),
      404: 'WorktreeNotFound',
      409: 'NeedsTrust, NoForge, NoRemote, GitFailed',
      502: 'ForgeFailed',
    },
  },
})
