import type { FileEditEvent } from '@troupe/protocol'
import type { Api } from '../../api/api.ts'
import { readEventStream } from '../../api/read-event-stream.ts'
import { ApiError } from '../../api/request.ts'
import type { Editor, SelectedLines } from './create-editor.ts'

interface StreamEditOptions {
  api: Pick<Api, 'editFile'>
  editor: Editor
  path: string
  /** Null edits the whole file. */
  lines: SelectedLines | null
  instruction: string
  model: string | undefined
  signal: AbortSignal
}

/** Text around the selection that the model sees. */
const maxAround = 8000
const drawMs = 60

/** Replaces lines with what a model writes, while it writes. Rejects if it fails. */
export async function streamEdit({ api, editor, path, lines, instruction, model, signal }: StreamEditOptions) {
  const { doc } = editor.view.state
  const from = lines === null ? 0 : doc.line(lines.from).from
  const to = lines === null ? doc.length : doc.line(lines.to).to
  const text = doc.sliceString(from, to)
  const rest = text.split('\n')
  const head = doc.sliceString(0, from)
  const tail = doc.sliceString(to)
  const response = await api.editFile(
    {
      path,
      instruction,
      text,
      before: head.slice(-maxAround),
      after: tail.slice(0, maxAround),
      model,
    },
    signal,
  )
  let written = ''
  let drawnAt = 0
  const draw = (isDone: boolean) => {
    if (signal.aborted || (!isDone && performance.now() - drawnAt < drawMs)) return
    drawnAt = performance.now()
    // Until the end, lines that are not written yet stay below, so that the diff grows from the top.
    const done = written.split('\n').length
    const left = isDone
      ? ''
      : rest
          .slice(done)
          .map((line) => `\n${line}`)
          .join('')
    editor.setDocument(head + written + left + tail)
  }
  for await (const event of readEventStream<FileEditEvent>(response)) {
    if (event.type === 'delta') {
      written += event.text
      draw(false)
    } else if (event.type === 'error') throw new ApiError(502, event.error)
    else {
      written = event.text
      draw(true)
      return
    }
  }
  throw new ApiError(502, { name: 'EditCut', message: '' })
}
