import { defineReader, maxCharacters } from '../reader.ts'
import { openZipFile } from '../zip/zip-file.ts'

export default defineReader({
  title: 'a zip archive',
  extensions: ['zip', 'jar', 'war', 'apk'],
  mediaTypes: ['application/zip'],
  isContainer: true,
  matches: (head) =>
    head.toString('latin1', 0, 4) === 'PK\u0003\u0004' || head.toString('latin1', 0, 4) === 'PK\u0005\u0006',
  async read(source, { offset = 1, limit = 1000 }) {
    const zip = await openZipFile(source.path)
    try {
      const lines: string[] = []
      let characters = 0
      for (const { name, size } of zip.entries.slice(offset - 1, offset - 1 + limit)) {
        const line = `- ${JSON.stringify(name)} (${size} bytes)`
        characters += line.length + 1
        if (characters > maxCharacters) break
        lines.push(line)
      }
      const end = offset - 1 + lines.length
      return {
        format: 'zip',
        title: 'a zip archive',
        mediaType: 'application/zip',
        facts: `${zip.entries.length} files`,
        text: lines.join('\n'),
        next: end < zip.entries.length ? { offset: end + 1 } : undefined,
      }
    } finally {
      await zip.close()
    }
  },
})
