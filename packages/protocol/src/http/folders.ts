import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints } from './endpoint.ts'

const folderNameSchema = z.string().trim().min(1).max(100)

export const newFolderSchema = z.strictObject({
  id: idSchema.optional(),
  name: folderNameSchema,
  parentFolderId: idSchema.nullable().optional(),
})

export const folderPatchSchema = z.strictObject({
  name: folderNameSchema.optional(),
  parentFolderId: idSchema.nullable().optional(),
})

const folderSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  parentFolderId: z.string().nullable(),
  name: z.string(),
  sessionCount: z.number().describe('active sessions in the folder'),
  createdAt: z.number(),
})

const oneFolderSchema = z.object({ folder: folderSchema })

export const folderEndpoints = endpoints({
  'GET /ai/folders': {
    summary: 'Lists folders of sessions by name, each with the number of its active sessions.',
    scoped: true,
    answers: { 200: z.object({ folders: z.array(folderSchema) }) },
  },
  'POST /ai/folders': {
    summary: 'Creates a folder, with parentFolderId inside another one. Folders nest one level deep.',
    body: newFolderSchema,
    scoped: true,
    answers: { 201: oneFolderSchema, 404: 'FolderNotFound', 409: 'FolderExists, FolderTooDeep' },
  },
  'PATCH /ai/folders/:id': {
    summary: 'Renames or moves a folder.',
    body: folderPatchSchema,
    scoped: true,
    answers: { 200: oneFolderSchema, 404: 'FolderNotFound', 409: 'FolderTooDeep' },
  },
  'DELETE /ai/folders/:id': {
    summary: 'Deletes a folder and moves its contents to its parent.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.string() }), 404: 'FolderNotFound' },
  },
})
