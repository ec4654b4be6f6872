/** `fetch` for bytes that says how much of them has gone, from 0 to 1; the browser's own cannot. */
export function uploadFetch(
  path: string,
  bytes: Blob,
  {
    signal,
    onProgress,
    headers,
  }: {
    signal?: AbortSignal | undefined
    onProgress: (sent: number) => void
    headers: Record<string, string>
  },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    for (const [name, value] of Object.entries({ ...headers, 'content-type': bytes.type }))
      request.setRequestHeader(name, value)
    request.responseType = 'text'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener('load', () =>
      resolve(new Response(request.responseText, { status: request.status, statusText: request.statusText })),
    )
    request.addEventListener('error', () => reject(new TypeError('the upload was cut')))
    request.addEventListener('abort', () => reject(new TypeError('the upload was stopped')))
    signal?.addEventListener('abort', () => request.abort())
    request.send(bytes)
  })
}
