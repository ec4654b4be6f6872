import { z } from 'zod'
import { endpoints, fileProblemSchema } from './endpoint.ts'

const skillHead = {
  name: z.string(),
  description: z.string(),
  license: z.string().optional(),
  compatibility: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional().describe('as written in the file'),
  allowedTools: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('while the skill is active, only these tools run without asking'),
  personOnly: z.literal(true).optional().describe('only the user can load it, not a model'),
}

const skillSchema = z.object({
  ...skillHead,
  path: z.string().describe('its SKILL.md'),
  folder: z.string(),
  scope: z.enum(['home', 'workspace', 'project']),
  shadows: z.array(z.string()).describe('files of skills with the same name that it replaces'),
  enabled: z.boolean(),
})

const skillTextSchema = z.object({
  path: z.string(),
  text: z.string(),
  version: z.string().describe('of the text, to detect changes on disk'),
})
export type SkillText = z.infer<typeof skillTextSchema>

const newSkillSchema = z.strictObject({
  name: z.string().min(1).max(64),
  scope: z.enum(['home', 'project']),
  description: z.string().trim().min(1).max(1024),
  instructions: z.string().trim().min(1).max(200_000),
})
export type NewSkill = z.infer<typeof newSkillSchema>

const skillPath = z.string().min(1).max(4096).describe('the SKILL.md, as listed')

/** A file that is not valid. `line` is present if the problem is at one. */
export const skillProblemSchema = fileProblemSchema.extend({ line: z.number().optional() })

const stagedSkillSchema = z.object({
  ...skillHead,
  folder: z.string().describe('where it is unpacked for review'),
  files: z.array(z.object({ name: z.string(), size: z.number(), executable: z.boolean() })),
})

const skillSourceSchema = z.union([
  z.strictObject({ path: z.string().min(1).max(4096) }),
  z.strictObject({ blob: z.string().regex(/^[0-9a-f]{64}$/) }),
])

export const skillEndpoints = endpoints({
  'GET /ai/skills': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the skills of the workspace, and files that are not valid skills with line and reason.',
    scoped: true,
    answers: { 200: z.object({ skills: z.array(skillSchema), problems: z.array(skillProblemSchema) }) },
  },
  'POST /ai/skills': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Creates a skill for the user, or in the folder if it is trusted.',
    scoped: true,
    body: newSkillSchema,
    answers: {
      201: z.object({ path: z.string() }),
      403: 'FolderNotTrusted',
      409: 'SkillExists, FileNotEditable',
      422: 'BadSkill',
    },
  },
  'PATCH /ai/skills': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Enables or disables a skill for the user, in all folders.',
    body: z.strictObject({ name: z.string().min(1).max(64), enabled: z.boolean() }),
    answers: { 200: z.object({ name: z.string(), enabled: z.boolean() }) },
  },
  'DELETE /ai/skills': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Deletes the folder of a skill.',
    scoped: true,
    query: z.object({ path: skillPath }),
    answers: { 200: z.object({ deleted: z.string() }), 404: 'SkillNotFound', 409: 'FileNotEditable' },
  },
  'GET /ai/skills/text': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns the text of a SKILL.md, also of one that is not valid.',
    scoped: true,
    query: z.object({ path: skillPath }),
    answers: { 200: skillTextSchema, 404: 'SkillNotFound', 409: 'FileNotEditable' },
  },
  'PATCH /ai/skills/text': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Replaces the text of a SKILL.md, if it is valid and the file still has this version.',
    scoped: true,
    body: z.strictObject({ path: skillPath, text: z.string().max(200_000), version: z.string().max(100) }),
    answers: { 200: skillTextSchema, 404: 'SkillNotFound', 409: 'FileNotEditable, FileChanged', 422: 'BadSkill' },
  },
  'POST /ai/skills/imports': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Unpacks the skills of a folder or archive on this machine, or of a blob, for review.',
    body: skillSourceSchema,
    answers: {
      201: z.object({
        import: z.object({
          id: z.string(),
          skills: z.array(stagedSkillSchema),
          problems: z.array(fileProblemSchema).describe('skills that are left out, and notes on others'),
        }),
      }),
      404: 'BlobNotFound',
      422: 'SkillsRefused',
    },
  },
  'POST /ai/skills/imports/:id': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Installs the skills of an import that the user has reviewed and trusts.',
    answers: {
      200: z.object({ imported: z.array(z.string()).describe('the installed folders') }),
      404: 'ImportNotFound',
      422: 'SkillsRefused',
    },
  },
  'DELETE /ai/skills/imports/:id': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Discards an import.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'ImportNotFound' },
  },
})
