import { readFile } from 'node:fs/promises'
import type { FileDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { isRecording } from '../files/file-kind.ts'
import { missingFileMessage } from '../files/missing-file.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { spill } from '../files/temporary-files.ts'
import type { Transcript } from '../tool/services.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

/** Longer transcripts are saved as a file and shown in part. */
const shownCharacters = 30_000

export default defineTool({
  description:
    'Writes down the words spoken in an audio or video file, with times if the provider reports them. Asks first, because a transcription model reads the file.',
  input: z.object({
    file_path: z.string().min(1).max(4096),
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/, 'an ISO 639 code, such as de')
      .describe('Spoken language, such as "de". Default: detected')
      .optional(),
  }),
  readOnly: false,
  concurrent: true,
  deferred: true,
  listedAfter: { text: /\.(mp3|m4[abv]|aac|wav|flac|og[ag]|opus|aiff?|wma|mp4|mov|mkv|webm|avi|3gp|wmv)\b/i },
  group: 'media',
  timeout: 660_000,
  touches: ({ file_path }) => [{ kind: 'read', path: file_path }],
  needsApproval: true,
  async validate(_, { transcription }) {
    const model = await transcription?.model()
    return model === undefined
      ? 'No transcription model is available. Ask the user to add the API key of a provider that has one.'
      : undefined
  },
  title: ({ file_path }) => `Transcribe ${file_path}`,
  permission: ({ file_path }) => ({
    title: 'Transcribe a recording',
    summary: `The file is sent to the transcription model. The model provider may charge for this. ${file_path}`,
  }),
  async execute({ file_path, language }, ctx) {
    const { transcription, documents } = ctx
    if (transcription === undefined || documents === undefined)
      throw new Error('Recordings cannot be transcribed here.')
    const target = resolvePath(ctx, file_path, { for: 'read' })
    const { path, shown, stats } = target
    if (stats === undefined) throw new Error(missingFileMessage(target, ctx.state))
    const format = stats.isFile() ? await documents.identify({ path }, ctx.signal) : undefined
    if (format === undefined || !isRecording(format.format)) throw new Error(`${shown} is not an audio or video file.`)
    const size = Number(stats.size)
    if (size > transcription.maxBytes) throw new Error(tooLargeMessage(shown, size, transcription.maxBytes))
    // The length only makes the price exact.
    const facts = await documents.read({ path }, {}, ctx.signal).catch(() => undefined)
    const bytes = await readFile(path, { signal: ctx.signal })
    const folder = ctx.state.roots[0]
    const transcript = await transcription.transcribe({ bytes, seconds: facts?.seconds, language, folder }, ctx.signal)
    return describeTranscript(transcript, shown, ctx)
  },
  display: ({ path, model, preview, characters }) => ({
    title: `Transcribe ${path}`,
    summary: `by ${model}`,
    content: {
      kind: 'file',
      path,
      text: preview,
      from: 1,
      lines: preview.split('\n').length,
      more: characters > preview.length,
    } satisfies FileDisplay,
  }),
})

interface TranscribeOutput {
  path: string
  model: string
  /** Length of the whole transcript. */
  characters: number
  preview: string
  /** File with the whole transcript, if only a part is shown. */
  saved?: string
}

async function describeTranscript(transcript: Transcript, shown: string, ctx: ToolContext): Promise<TranscribeOutput> {
  const { model } = transcript
  const text = transcriptText(transcript)
  if (text === '')
    return withModelText({ path: shown, model, characters: 0, preview: '' }, `${model} heard no words in ${shown}.`)
  const long = text.length > shownCharacters ? await spill(ctx, text, 'transcript') : undefined
  const output = { path: shown, model, characters: text.length, preview: text.slice(0, 2000).toWellFormed() }
  return withModelText(
    { ...output, ...(long && { saved: long.path }) },
    `Transcript of ${shown} by ${model}. It may contain errors.\n\n${long?.preview ?? text}`,
  )
}

/** One line per segment with its time: `[1:02] So let us begin.` */
function transcriptText({ text, segments }: Transcript): string {
  const lines = segments.length < 2 ? [text] : segments.map((one) => `[${timeText(one.start)}] ${one.text.trim()}`)
  return lines.join('\n').trim().toWellFormed()
}

function timeText(seconds: number): string {
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const last = String(whole % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${last}` : `${hours}:${String(minutes).padStart(2, '0')}:${last}`
}

function tooLargeMessage(shown: string, size: number, most: number): string {
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`
  return `${shown} has ${megabytes(size)}; transcription takes at most ${megabytes(most)}. Extract a smaller sound track, for example with ffmpeg -i <file> -vn -ac 1 -b:a 32k <file>.mp3, or split it, and transcribe that.`
}
