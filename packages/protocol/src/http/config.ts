import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { modeNameSchema, modeSchema } from './rules.ts'

export const configListSchema = z.array(z.string().min(1).max(2000)).max(10_000)

/** Settings of `config.json` without endpoints of their own. The schema of the file uses the same fields. */
export const configFields = {
  model: z.string().min(1).max(300).describe('the model of new sessions: provider/model'),
  useTools: configListSchema.nullable().describe('the tools that models may use; absent or null: all'),
  recovery: z
    .enum(['continue', 'wait'])
    .describe('what happens to runs that a crash interrupted: they continue, or wait for the user'),
  titles: z
    .enum(['model', 'words'])
    .describe('titles of sessions: written by a cheap model after the first answer, or the first words'),
  describeImages: z
    .enum(['ask', 'always', 'never'])
    .describe('images for models that cannot see: described by a model that can. Default: asks once per chat'),
  limits: {
    steps: z.int().positive().describe('model calls in one turn'),
    tokens: z.int().positive().describe('tokens in one turn'),
    seconds: z.number().positive().describe('time of one turn'),
  },
  budget: {
    day: z.number().positive().max(1e9).describe('US dollars that model calls may cost per day'),
    month: z.number().positive().max(1e9).describe('US dollars that model calls may cost per month'),
  },
  media: {
    image: z.string().max(300).describe('the model that makes images: provider/model'),
    video: z.string().max(300).describe('the model that makes videos: provider/model'),
    transcription: z.string().max(300).describe('the model that writes down dictated messages: provider/model'),
    vision: z.string().max(300).describe('the model that describes images for models that cannot see: provider/model'),
    speech: z.string().max(300).describe('the model that reads answers aloud: provider/model'),
    voice: z.string().max(100).describe('the voice of the speech model, by the name its provider gives it'),
  },
  browser: {
    path: z.string().max(4000).describe('the Chromium that agents browse with'),
    allow: configListSchema.describe(
      'addresses of this machine or network that its pages may reach, e.g. "localhost:5173"',
    ),
  },
  search: {
    provider: z.string().max(100).describe('the search provider of WebSearch: searxng, brave or tavily'),
    baseURL: z.url({ protocol: /^https?$/ }).max(2000),
    apiKey: z.string().max(5000),
  },
} as const

const { limits, budget, media, browser, search } = configFields

/** Null removes a setting. Omitted settings stay unchanged. */
const configPatchSchema = z
  .strictObject({
    model: configFields.model.nullable(),
    mode: modeNameSchema.nullable(),
    useTools: configFields.useTools,
    recovery: configFields.recovery.nullable(),
    titles: configFields.titles.nullable(),
    describeImages: configFields.describeImages.nullable(),
    limits: z
      .strictObject({
        steps: limits.steps.nullable(),
        tokens: limits.tokens.nullable(),
        seconds: limits.seconds.nullable(),
      })
      .partial()
      .nullable(),
    budget: z.strictObject({ day: budget.day.nullable(), month: budget.month.nullable() }).partial().nullable(),
    media: z
      .strictObject({
        image: media.image.nullable(),
        video: media.video.nullable(),
        transcription: media.transcription.nullable(),
        vision: media.vision.nullable(),
        speech: media.speech.nullable(),
        voice: media.voice.nullable(),
      })
      .partial()
      .nullable(),
    browser: z.strictObject({ path: browser.path.nullable(), allow: browser.allow.nullable() }).partial().nullable(),
    search: z
      .strictObject({
        provider: search.provider,
        baseURL: search.baseURL.nullable(),
        apiKey: search.apiKey.nullable(),
      })
      .partial()
      .nullable(),
  })
  .partial()
export type ConfigPatch = z.infer<typeof configPatchSchema>

const configInfoSchema = z.object({
  model: z.string().nullable().describe('null: the first usable model'),
  environmentModel: z.string().nullable().describe('the model set in the environment, which takes precedence'),
  mode: modeSchema.nullable().describe('the permission mode of new sessions; null: default'),
  useTools: z.array(z.string()).nullable().describe('null: all tools'),
  recovery: configFields.recovery,
  titles: configFields.titles,
  describeImages: configFields.describeImages,
  limits: z.object({
    steps: z.number().nullable(),
    tokens: z.number().nullable(),
    seconds: z.number().nullable(),
  }),
  budget: z.object({
    day: z.number().nullable().describe('US dollars; null: no limit'),
    month: z.number().nullable(),
  }),
  media: z.object({
    image: z.string().nullable(),
    video: z.string().nullable(),
    transcription: z.string().nullable(),
    vision: z.string().nullable(),
    speech: z.string().nullable(),
    voice: z.string().nullable(),
  }),
  browser: z.object({
    path: z.string().nullable().describe('null: an installed Chromium'),
    allow: z.array(z.string()).nullable().describe('null: only the public web'),
  }),
  search: z
    .object({ provider: z.string(), baseURL: z.string().nullable(), hasKey: z.boolean() })
    .nullable()
    .describe("null: the session's model searches"),
})
export type ConfigInfo = z.infer<typeof configInfoSchema>

export const configEndpoints = endpoints({
  'GET /ai/config': {
    access: { on: 'organization', right: 'read' },
    summary: 'Returns the settings in config.json that have no dedicated endpoints. Never returns a key.',
    answers: { 200: z.object({ path: z.string().describe('the file'), config: configInfoSchema }) },
  },
  'PATCH /ai/config': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Changes these settings. Null removes a setting. Runs that have started keep the old ones. The search key is dropped if the provider or the server changes.',
    body: configPatchSchema,
    answers: {
      200: z.object({
        path: z.string().describe('the file'),
        config: configInfoSchema,
        dropped: z.array(z.string()).describe('settings dropped because another server would receive them'),
      }),
      400: 'BadRequest',
      403: 'BypassNotAllowed',
      404: 'ModelNotFound, ProviderNotFound',
      422: 'UnknownMode',
    },
  },
})

/** Longest text of a file that the page edits, in characters. */
export const maxEditedText = 200_000

const versionSchema = z.string().max(100)

const instructionFileSchema = z.object({
  path: z.string().describe('the file that agents read'),
  text: z.string().describe('empty if there is no file yet'),
  version: versionSchema.describe('of the text, to detect changes on disk'),
  tokens: z.number().describe('estimated tokens that it adds to every model call'),
  active: z.boolean().describe('false while the folder is not trusted'),
  problem: z.string().optional().describe('why it cannot be edited here'),
  others: z.array(z.string()).describe('other files whose instructions apply too'),
})
export type InstructionFile = z.infer<typeof instructionFileSchema>

const masterPromptSchema = z.object({
  text: z.string().nullable().describe('null: the default'),
  defaults: z.record(z.string(), z.string()).describe('by language; the first one is for all other languages'),
  earlierDefault: z
    .string()
    .nullable()
    .describe('the default that the text was written against, if a later version of Troupe changed it'),
  version: versionSchema,
  tokens: z.number(),
})
export type MasterPrompt = z.infer<typeof masterPromptSchema>

const instructionsSchema = z.object({
  person: instructionFileSchema,
  folder: instructionFileSchema,
  master: masterPromptSchema,
})
export type InstructionsInfo = z.infer<typeof instructionsSchema>

export const instructionEndpoints = endpoints({
  'GET /ai/instructions': {
    access: { on: 'workspace', right: 'read' },
    summary: "Returns the user's instructions for all chats, those of the folder, and the prompt of the master agent.",
    scoped: true,
    answers: { 200: instructionsSchema },
  },
  'PATCH /ai/instructions': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Changes one of them, from the next message on, also in existing chats. Null restores the default prompt of the master agent.',
    scoped: true,
    body: z.strictObject({
      scope: z.enum(['person', 'folder', 'master']),
      text: z.string().max(maxEditedText).nullable(),
      version: versionSchema.describe('of the text that was edited'),
      language: z.string().max(20).optional().describe('of the default prompt that the text was written against'),
    }),
    answers: { 200: instructionsSchema, 409: 'FileChanged, FileNotEditable', 422: 'BadText' },
  },
})
