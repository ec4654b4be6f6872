export interface BodyLimit {
  bytes: number
  /** Each line may be that long, and the whole as long as it likes: for streams of events. */
  perLine: boolean
  /** What reading the body throws once it is too long. */
  error: () => Error
}

/** The same response, whose body ends with an error when it grows too long. Nothing beyond the limit is kept. */
export function limitBody(response: Response, { bytes, perLine, error }: BodyLimit): Response {
  if (response.body === null) return response
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  let length = 0
  const limited = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      const newline = perLine ? value.lastIndexOf(10) : -1
      length = newline === -1 ? length + value.length : value.length - newline - 1
      if (length <= bytes && value.length <= bytes) return controller.enqueue(value)
      const problem = error()
      reader.cancel(problem).catch(() => undefined)
      controller.error(problem)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers } = response
  const copy = new Response(limited, { status, statusText, headers })
  // What was asked for and what answered matters to checks of redirects.
  Object.defineProperties(copy, { url: { value: response.url }, redirected: { value: response.redirected } })
  return copy
}
