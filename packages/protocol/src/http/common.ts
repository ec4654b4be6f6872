import { z } from 'zod'

/** A file that could not be used, and why. */
export const fileProblemSchema = z.object({ path: z.string(), message: z.string() })
