import type { DocumentReading, DocumentSource } from '../reader.ts'
import { oneLine } from '../text/markdown.ts'
import { present } from '../text/blocks.ts'
import { sizeOf } from '../text/parts.ts'
import { mp4Size } from './mp4-size.ts'

/** Files up to this size are scanned for their duration if no header has it. */
const maxScannedBytes = 100 * 2 ** 20

/** Duration, codecs and tags of audio and video. The content itself is not read. */
export async function mediaFacts(source: DocumentSource): Promise<DocumentReading> {
  const { parseFile } = await import('music-metadata')
  let parsed
  try {
    parsed = await parseFile(source.path, { duration: source.size <= maxScannedBytes, skipCovers: true })
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(source.path, source.name)
    return {
      facts: sizeOf(source.size),
      text: '',
      notes: [`Its details cannot be read: ${oneLine(reason).slice(0, 200)}.`],
    }
  }
  const { format, common } = parsed
  const video = format.trackInfo.find((track) => track.video !== undefined)?.video
  const size =
    video?.pixelWidth !== undefined && video.pixelHeight !== undefined
      ? { width: video.pixelWidth, height: video.pixelHeight }
      : await mp4Size(source)
  const codecs = new Set(
    present([...format.trackInfo.map(({ codecName }) => codecName?.replace(/^<(.*)>$/, '$1')), format.codec]),
  )
  const facts = present([
    format.duration !== undefined && format.duration > 0 && durationText(format.duration),
    format.container !== undefined && oneLine(format.container),
    codecs.size > 0 && [...codecs].map(oneLine).join(' and '),
    size !== undefined && `${size.width} x ${size.height} pixels`,
    format.sampleRate !== undefined && `${format.sampleRate / 1000} kHz`,
    format.numberOfChannels !== undefined &&
      (format.numberOfChannels === 1
        ? 'mono'
        : format.numberOfChannels === 2
          ? 'stereo'
          : `${format.numberOfChannels} channels`),
    format.bitrate !== undefined && `${Math.round(format.bitrate / 1000)} kbit/s`,
    sizeOf(source.size),
  ])
  const tags: [string, string | undefined][] = [
    ['Title', common.title],
    ['Artist', common.artist],
    ['Album', common.album],
    ['Album artist', common.albumartist],
    [
      'Track',
      common.track.no === null
        ? undefined
        : `${common.track.no}${common.track.of === null ? '' : ` of ${common.track.of}`}`,
    ],
    ['Year', common.year === undefined ? undefined : String(common.year)],
    ['Genre', common.genre?.join(', ')],
    ['Composer', common.composer?.join(', ')],
    ['Description', common.description?.join(' ')],
    ['Comment', common.comment?.map(({ text }) => text ?? '').join(' ')],
    ['Lyrics', common.lyrics?.map(({ text }) => text ?? '').join('\n')],
  ]
  const lines = tags.flatMap(([name, value]) =>
    value === undefined || value.trim() === '' ? [] : [`${name}: ${value.trim().slice(0, 5000)}`],
  )
  return {
    facts: facts.join(', '),
    text: lines.join('\n'),
    seconds: format.duration,
    notes: [factsOnly],
  }
}

/** The main header of an AVI file, which the library does not read. Undefined for other files. */
export async function aviFacts(source: DocumentSource): Promise<DocumentReading | undefined> {
  const head = await source.bytesAt(0, 72)
  if (
    head.length < 72 ||
    !/^RIFF[\s\S]{4}AVI /.test(head.toString('latin1', 0, 12)) ||
    head.toString('latin1', 24, 28) !== 'avih'
  )
    return undefined
  const seconds = (head.readUInt32LE(32) * head.readUInt32LE(48)) / 1e6
  return {
    facts: `${durationText(seconds)}, AVI, ${head.readUInt32LE(64)} x ${head.readUInt32LE(68)} pixels, ${sizeOf(source.size)}`,
    text: '',
    seconds,
    notes: [factsOnly],
  }
}

const factsOnly = 'These are facts about the file. Its sound and pictures were not read.'

/** `1:02:03`, or `0:07` for seven seconds. */
function durationText(seconds: number): string {
  const whole = Math.round(seconds)
  const rest = `${String(Math.floor(whole / 60) % 60).padStart(whole >= 3600 ? 2 : 1, '0')}:${String(whole % 60).padStart(2, '0')}`
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${rest}` : rest
}
