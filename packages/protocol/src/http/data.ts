import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const homeUsageSchema = z.object({
  name: z.enum(['database', 'sessions', 'blobs', 'backups', 'other']),
  path: z.string(),
  files: z.number(),
  bytes: z.number(),
})
export type HomeUsage = z.infer<typeof homeUsageSchema>

const backupSchema = z.object({ path: z.string(), createdAt: z.number() })
export type Backup = z.infer<typeof backupSchema>

const findingSchema = z.object({
  status: z.enum(['ok', 'info', 'warn', 'fail']).describe('info is neutral: an optional part is missing'),
  name: z.string(),
  text: z.string(),
  fix: z.string().optional().describe('what to do about it'),
})
export type Finding = z.infer<typeof findingSchema>

export const dataEndpoints = endpoints({
  'GET /ai/data': {
    summary: 'Says where the data is stored and how much space it takes, and lists the backups.',
    answers: {
      200: z.object({
        home: z.string(),
        places: z.array(homeUsageSchema),
        backups: z.array(backupSchema).describe('newest first'),
        free: z.number().describe('free bytes on the disk'),
      }),
    },
  },
  'POST /ai/data/backup': {
    summary: 'Copies all data that cannot be rebuilt to a new folder in the home.',
    answers: { 201: z.object({ backup: backupSchema }) },
  },
  'GET /ai/doctor': {
    summary: 'Runs the checks of "troupe doctor".',
    scoped: true,
    answers: { 200: z.object({ findings: z.array(findingSchema) }) },
  },
})
