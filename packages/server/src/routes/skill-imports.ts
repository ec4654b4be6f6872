import { NamedError, type Blobs } from '@troupe/core'
import { z } from 'zod'
import { route, type Route } from '../route.ts'
import type { SkillImports } from '../skills/skill-imports.ts'

const sourceSchema = z.union([
  z.strictObject({ path: z.string().min(1).max(4096) }),
  z.strictObject({ blob: z.string().regex(/^[0-9a-f]{64}$/) }),
])

export function skillImportRoutes(options: { skillImports: SkillImports; blobs: Blobs }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/skills/imports',
      summary: 'Unpacks the skills of a folder or archive on this machine, or of a blob, to be looked at.',
      body: sourceSchema,
      answers: { 201: '{import: {id, skills, problems}}', 404: 'BlobNotFound', 422: 'SkillsRefused' },
      async handle(c, { body }) {
        if ('path' in body) return c.json({ import: await options.skillImports.stage(body.path) }, 201)
        const blob = await options.blobs.get(body.blob)
        if (blob === undefined) throw new NamedError('BlobNotFound', 'There is no such blob.', { status: 404 })
        return c.json({ import: await options.skillImports.stage(blob.bytes) }, 201)
      },
    }),
    route({
      method: 'POST',
      path: '/ai/skills/imports/:id',
      summary: 'The person has seen them and trusts them: they become skills.',
      answers: { 200: '{imported: [folder]}', 404: 'ImportNotFound', 422: 'SkillsRefused' },
      handle: (c, { params }) => c.json({ imported: options.skillImports.accept(params['id'] as string) }),
    }),
    route({
      method: 'DELETE',
      path: '/ai/skills/imports/:id',
      summary: 'They are not wanted.',
      answers: { 200: '{deleted}', 404: 'ImportNotFound' },
      handle(c, { params }) {
        options.skillImports.drop(params['id'] as string)
        return c.json({ deleted: params['id'] })
      },
    }),
  ]
}
