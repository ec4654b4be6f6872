import { z } from 'zod'
import { endpoints } from './endpoint.ts'

export const blobEndpoints = endpoints({
  'POST /ai/blobs': {
    summary: 'Stores bytes with their content type.',
    body: 'bytes',
    answers: {
      201: z.object({
        sha256: z.string(),
        size: z.number().describe('bytes'),
        mediaType: z.string().describe('the type under which these bytes were first stored'),
        url: z.string(),
      }),
      413: 'BodyTooLarge',
    },
  },
  'GET /ai/blobs/:sha256': {
    summary: 'Returns the bytes of a blob.',
    linkable: true,
    gives: ['bytes'],
    answers: { 200: 'bytes', 404: 'BlobNotFound' },
  },
  'DELETE /ai/blobs/:sha256': {
    summary: 'Deletes a blob that no message uses, such as an attachment removed before sending.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'BlobNotFound', 409: 'BlobInUse' },
  },
})
