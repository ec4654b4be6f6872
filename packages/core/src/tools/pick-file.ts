import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ListDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { askPage, personTimeoutSec } from '../page/ask-page.ts'
import { formatCount } from '../text/format.ts'
import { defineTool } from '../tool/tool.ts'

const maxFileBytes = 32 * 1024 * 1024

const picked = z.object({
  files: z
    .array(
      z.object({
        name: z.string().min(1).max(300),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        size: z.number().int().nonnegative().max(maxFileBytes),
        mediaType: z.string().max(200),
      }),
    )
    .min(1)
    .max(20),
})

export default defineTool({
  description: `Asks the user to pick one or more files in the page. They can decline, and have ten minutes unless "timeoutSec" is set. Returns the paths of copies that Read can open. Use it for files outside the workspace.`,
  input: z.object({
    reason: z.string().max(500).describe('Why you need it, shown to the user').optional(),
    accept: z.string().max(200).describe('File types, as in HTML: ".csv,.xlsx" or "image/*"').optional(),
    multiple: z.boolean().describe('Allow more than one file').optional(),
    timeoutSec: personTimeoutSec,
  }),
  readOnly: false,
  concurrent: true,
  recover: 'rerun',
  // Picking the file in the page is the approval.
  needsApproval: false,
  deferred: true,
  group: 'page',
  pageAction: 'pick-file',
  title: () => 'Pick a file',
  async execute({ reason, accept, multiple, timeoutSec: seconds }, ctx) {
    const request = {
      action: 'pick-file',
      input: {
        reason,
        accept,
        multiple,
      },
      title: multiple === true ? 'Pick files?' : 'Pick a file?',
      summary: reason,
      timeoutSec: seconds,
      byPerson: true as const,
    }
    const { files } = await askPage(ctx, request, picked)
    const folder = path.join(ctx.state.outputFolder, `picked-${ctx.toolCallId}`.replace(/[^A-Za-z0-9_-]+/g, '-'))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const taken = new Set<string>()
    const copies = []
    for (const { name, sha256, mediaType } of files) {
      const blob = await ctx.blobs?.get(sha256)
      if (blob === undefined) throw new Error(`"${name}" was not received. Ask for it again.`)
      const file = path.join(folder, freeName(name, taken))
      await writeFile(file, blob.bytes, { mode: 0o600 })
      copies.push({ name, path: file, size: blob.bytes.length, mediaType })
    }
    return { files: copies }
  },
  toModel: ({ files }) =>
    files
      .map(
        ({ name, path: at, size, mediaType }) =>
          `${name} (${mediaType || 'unknown type'}, ${formatCount(size, 'byte')}): ${at}`,
      )
      .join('\n'),
  display: ({ files }) => ({
    title: files.length === 1 ? 'Picked a file' : `Picked ${files.length} files`,
    summary: files.map(({ name }) => name).join(', '),
    content: {
      kind: 'list',
      path: '',
      entries: files.map(({ name }) => ({ name, kind: 'file', depth: 0 })),
      left: 0,
    } satisfies ListDisplay,
  }),
})

/** Returns a name that is unique in the folder and valid on any system. */
function freeName(given: string, taken: Set<string>): string {
  const plain =
    given
      .replace(/[^\p{L}\p{N}._ -]+/gu, '-')
      .replace(/^\.+/, '')
      .slice(-120) || 'file'
  const { name, ext } = path.parse(plain)
  let free = plain
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${name}-${number}${ext}`
  taken.add(free.toLowerCase())
  return free
}
