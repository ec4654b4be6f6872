import { publishSchema } from '@troupe/protocol'
import { z } from 'zod'

const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,49}$/)

/** `team.node` in config.json: this process among the nodes of a team. Variables of the environment take precedence. */
export const nodeSchema = z
  .looseObject({
    url: z.url().max(1000).describe('where the other nodes reach this one; TROUPE_NODE_URL'),
    place: name.describe('names the disk; nodes with the same place see the same folders; TROUPE_NODE_PLACE'),
    labels: z.array(name).max(50).describe('shown in the administration; TROUPE_NODE_LABELS, with commas'),
    folder: z
      .string()
      .max(4096)
      .describe('files of chats, on the disk that all nodes of the place see; TROUPE_NODE_FOLDER'),
    listenUrl: z
      .string()
      .max(4096)
      .describe('leads directly to Postgres, if databaseUrl leads to a pooler; TROUPE_DATABASE_LISTEN_URL'),
    bucket: publishSchema.shape.bucket.describe('S3-compatible storage for attachments and media'),
    drainSeconds: z.int().min(0).max(3600).describe('time for runs to reach a safe point when the node stops'),
    parkMinutes: z
      .number()
      .min(0)
      .max(10_000)
      .describe(
        'a run that waits for a person longer than this leaves the memory of its node; default 10, 0 for never',
      ),
  })
  .partial()
  .optional()
  .describe('this process among the nodes of a team')
