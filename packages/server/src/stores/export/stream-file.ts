/** The stream of asks beside the streams of messages, which are named '' and by agent ids (these hold no '$'). */
export const asksStream = '$asks'

/** Where the lines of a stream are, from the session's folder. */
export function streamFile(stream: string): string {
  if (stream === '') return 'messages.jsonl'
  return stream === asksStream ? 'asks.jsonl' : `agents/${stream}/messages.jsonl`
}
