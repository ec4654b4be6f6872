import { z } from 'zod'

/** A file that could not be used, and why. */
export const fileProblemSchema = z.object({ path: z.string(), message: z.string() })

/** The number of the last event that the client has. */
export const afterQuerySchema = z
  .string()
  .regex(/^\d{1,15}$/, 'a whole number')
  .optional()
