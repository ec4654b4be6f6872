import { z } from 'zod'
import type { ErrorInfo } from '../message.ts'
import { endpoints } from './endpoint.ts'

/** Relative to the folder, with "/" between names. Empty for the folder itself. */
const pathSchema = z.string().max(4096)

const entryKindSchema = z.enum(['file', 'folder', 'link', 'other'])

const folderEntrySchema = z.object({
  name: z.string(),
  kind: entryKindSchema,
  size: z.number().optional().describe('bytes of a file; absent in pages of more than 1000 entries'),
  ignored: z.literal(true).optional().describe('excluded by an ignore file, such as .gitignore'),
  target: z
    .enum(['file', 'folder', 'outside', 'missing'])
    .optional()
    .describe('of a link; "outside" is outside the workspace and cannot be opened'),
})
export type FolderEntry = z.infer<typeof folderEntrySchema>

const textEncodingSchema = z.enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1'])

const fileContentSchema = z.object({
  path: z.string(),
  kind: z.enum(['text', 'image', 'binary']),
  size: z.number().describe('bytes'),
  modifiedAt: z.number(),
  text: z.string().optional().describe('for kind "text"'),
  version: z.string().optional().describe('hash of the whole content; absent if the text is cut'),
  encoding: textEncodingSchema.optional(),
  bom: z.boolean().optional().describe('starts with a byte order mark'),
  isCut: z.literal(true).optional().describe('the file is longer than the text, so it cannot be saved'),
  isReadOnly: z.literal(true).optional(),
  about: z.string().optional().describe('what a binary file is, if its first bytes tell'),
})
export type FileContent = z.infer<typeof fileContentSchema>

const savedFileSchema = z.object({
  path: z.string(),
  version: z.string(),
  size: z.number(),
  modifiedAt: z.number(),
})
export type SavedFile = z.infer<typeof savedFileSchema>

const trashedSchema = z.object({
  id: z.string(),
  path: z.string().describe('where it was'),
  kind: entryKindSchema,
  deletedAt: z.number(),
})
export type TrashedEntry = z.infer<typeof trashedSchema>

const foundSchema = z.object({ path: z.string(), kind: z.enum(['file', 'folder']) })

const outside = 'OutsideWorkspace'

export const fileEndpoints = endpoints({
  'GET /ai/files': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists one folder, folders first, in natural order. Page through a large one with ?offset and ?limit.',
    query: z.object({
      path: pathSchema.optional(),
      offset: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(20_000).optional().describe('default: 1000'),
    }),
    scoped: true,
    answers: {
      200: z.object({
        path: z.string(),
        entries: z.array(folderEntrySchema),
        total: z.number().describe('entries of the folder'),
      }),
      403: outside,
      404: 'FileNotFound',
    },
  },
  'POST /ai/files': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Creates an empty file, or a folder, with the folders above it.',
    body: z.strictObject({
      path: pathSchema.min(1),
      kind: z.enum(['file', 'folder']),
    }),
    scoped: true,
    answers: { 201: z.object({ path: z.string() }), 400: 'BadFileName', 403: outside, 409: 'FileExists' },
  },
  'DELETE /ai/files': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Moves a file or folder to the trash of the workspace. ?forever=1 deletes it instead.',
    query: z.object({ path: pathSchema.optional(), forever: z.literal('1').optional() }),
    scoped: true,
    answers: {
      200: z.object({ trashed: trashedSchema.nullable().describe('null if deleted forever') }),
      403: outside,
      404: 'FileNotFound',
      413: 'TooLargeForTrash',
    },
  },
  'POST /ai/files/move': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Renames or moves a file or folder. Never replaces another.',
    body: z.strictObject({ from: pathSchema.min(1), to: pathSchema.min(1) }),
    scoped: true,
    answers: {
      200: z.object({ path: z.string() }),
      400: 'BadFileName',
      403: outside,
      404: 'FileNotFound',
      409: 'FileExists, MoveIntoItself',
    },
  },
  'GET /ai/files/trash': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists what was deleted from this workspace, newest first. Entries stay for 30 days.',
    scoped: true,
    answers: { 200: z.object({ trashed: z.array(trashedSchema) }) },
  },
  'POST /ai/files/trash/:id/restore': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Puts a deleted file or folder back where it was.',
    scoped: true,
    answers: { 200: z.object({ path: z.string() }), 404: 'TrashNotFound', 409: 'FileExists' },
  },
  'DELETE /ai/files/trash': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Deletes everything in the trash of this workspace, or only ?id.',
    query: z.object({ id: z.string().max(64).optional() }),
    scoped: true,
    answers: { 200: z.object({ deleted: z.number() }), 404: 'TrashNotFound' },
  },
  'GET /ai/files/search': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Finds files and folders of the whole workspace by letters of their path, best first. Skips ignored files.',
    query: z.object({
      q: z.string().max(500).optional(),
      limit: z.coerce.number().int().min(1).max(1000).optional().describe('default: 200'),
    }),
    scoped: true,
    answers: {
      200: z.object({
        matches: z.array(foundSchema),
        total: z.number().describe('all matches'),
        isFresh: z.boolean().describe('false if the list of files is being read again; ask again shortly'),
        isCut: z.boolean().describe('true if the workspace has more files than are searched'),
      }),
    },
  },
  'GET /ai/files/content': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns a text file of up to 8 MiB with its version, or the first 1 MiB of a longer one.',
    query: z.object({
      path: pathSchema.optional(),
      secret: z.literal('1').optional().describe('the user wants to see a file that may contain secrets'),
    }),
    scoped: true,
    answers: { 200: z.object({ file: fileContentSchema }), 403: `${outside}, SecretFile`, 404: 'FileNotFound' },
  },
  'PUT /ai/files/content': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Saves a text file if it still has the version that was read. Otherwise answers 409 with the current content in data.current.',
    body: z.strictObject({
      path: pathSchema.min(1),
      text: z.string().max(16 * 1024 * 1024),
      version: z.string().max(64).nullable().describe('null: there must be no such file'),
      encoding: textEncodingSchema.optional().describe('default: UTF-8'),
      bom: z.boolean().optional(),
    }),
    scoped: true,
    answers: {
      200: z.object({ file: savedFileSchema }),
      400: 'BadFileName',
      403: `${outside}, FileReadOnly`,
      409: 'FileChanged',
      422: 'CannotEncode',
    },
  },
  'POST /ai/files/upload': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Stores the body as a file, up to 2 GiB. ?replace=1 replaces an existing one.',
    query: z.object({ path: pathSchema.optional(), replace: z.literal('1').optional() }),
    body: 'upload',
    scoped: true,
    answers: {
      201: z.object({ path: z.string(), size: z.number() }),
      400: 'BadFileName',
      403: outside,
      409: 'FileExists',
      413: 'BodyTooLarge',
    },
  },
  'GET /ai/files/download': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Returns the bytes of a file as a download, or a range of them. ?inline=1 shows a picture, PDF, sound or video in the page.',
    query: z.object({ path: pathSchema.optional(), inline: z.literal('1').optional() }),
    linkable: true,
    scoped: true,
    gives: ['bytes'],
    answers: { 200: 'bytes', 206: 'bytes', 403: outside, 404: 'FileNotFound', 416: 'no such range' },
  },
  'GET /ai/files/events': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Streams changes of watched folders. The first event names the stream; POST /ai/files/events/:id sets the folders.',
    scoped: true,
    gives: ['stream'],
    answers: { 200: 'a stream of FileEvent', 429: 'TooManyStreams' },
  },
  'POST /ai/files/events/:id': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Sets the folders that a stream watches, at most 500.',
    body: z.strictObject({ folders: z.array(pathSchema).max(500) }),
    scoped: true,
    answers: {
      200: z.object({ watched: z.number().describe('folders that exist and are watched') }),
      404: 'StreamNotFound',
    },
  },
})

export const fileEditEndpoints = endpoints({
  'POST /ai/files/edit': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Lets a model rewrite a part of a file by an instruction, and streams the new text. Writes no file.',
    body: z.strictObject({
      path: pathSchema.min(1),
      instruction: z.string().trim().min(1).max(4000),
      text: z.string().max(200_000).describe('the part to rewrite'),
      before: z.string().max(20_000).describe('the text above it'),
      after: z.string().max(20_000).describe('the text below it'),
      model: z.string().max(300).optional().describe('provider/model; default: the configured one'),
    }),
    scoped: true,
    gives: ['stream'],
    answers: {
      200: 'a stream of FileEditEvent',
      400: 'ProviderNotConfigured',
      404: 'ModelNotFound, ProviderNotFound',
      409: 'NoModel',
      429: 'TooManyEdits',
    },
  },
})

/** One event of `POST /ai/files/edit`. */
export type FileEditEvent =
  | { type: 'delta'; text: string }
  | { type: 'done'; text: string }
  | { type: 'error'; error: ErrorInfo }

/** One event of `GET /ai/files/events`. */
export type FileEvent =
  | { type: 'open'; id: string }
  /** Folders with changed entries. `names` is absent if there were too many: read the folder again. */
  | { type: 'changed'; folders: { path: string; names?: string[] }[] }
  /** Events were lost. Read everything that is shown again. */
  | { type: 'reset' }
