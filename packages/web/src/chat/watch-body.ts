/** Passes the bytes on; `onSilence` is called once when none has come for `milliseconds`. */
export function watchBody(
  body: ReadableStream<Uint8Array>,
  milliseconds: number,
  onSilence: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      timer = setTimeout(() => onSilence(new Error(`nothing came for ${milliseconds} ms`)), milliseconds)
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } finally {
        clearTimeout(timer)
      }
    },
    cancel(reason) {
      clearTimeout(timer)
      return reader.cancel(reason)
    },
  })
}
