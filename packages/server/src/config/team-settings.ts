import type { ResourceLimits } from '@troupe/core'
import { z } from 'zod'

/** Sentence with which an administrator accepts team mode on a machine that cannot separate people. */
export const acceptance = "I accept that members can read each other's files"

/** Fields of `team` in config.json. */
export const isolationFields = {
  allowUnsandboxed: z
    .string()
    .max(200)
    .optional()
    .describe(`starts on a machine that cannot separate members, if it is exactly: ${acceptance}`),
  limits: z
    .looseObject({
      cpus: z.number().positive().max(1024).describe('processors, e.g. 0.5'),
      memoryMb: z
        .int()
        .min(64)
        .max(2 ** 24),
      processes: z.int().min(16).max(100_000).describe('processes and threads at once'),
      diskMb: z
        .int()
        .min(1)
        .max(2 ** 24)
        .describe('written to disk, and the size of one file'),
      network: z
        .enum(['none', 'policy'])
        .describe('for commands that a person lets leave the sandbox: none, or public addresses through a proxy'),
      seconds: z.number().positive().max(10_000_000).describe('CPU time'),
      runs: z
        .number()
        .min(1)
        .max(1000)
        .describe('all programs of a person together may use this many times the limits'),
    })
    .partial()
    .optional()
    .describe('what one command, terminal or server program of a member may use'),
  userIds: z
    .looseObject({
      from: z
        .int()
        .min(1000)
        .max(2 ** 31),
      count: z.int().min(10).max(1_000_000),
      file: z.string().max(4096).describe('keeps them; nodes that share folders must share it'),
    })
    .partial()
    .optional()
    .describe('user and group ids for members and folders, when the server is root'),
}
export type IsolationSettings = z.infer<z.ZodObject<typeof isolationFields>>

export const defaultLimits: ResourceLimits & { runs: number; network: 'none' | 'policy' } = {
  cpus: 2,
  memoryMb: 2048,
  processes: 1024,
  diskMb: 4096,
  seconds: 3600,
  runs: 4,
  network: 'policy',
}

export const defaultIds: { from: number; count: number; file?: string | undefined } = { from: 200_000, count: 100_000 }
