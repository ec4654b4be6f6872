// What the page asks for first is asked, and read, while its scripts are still on their way. See src/api/early-fetch.ts.
{
  const read = async (response) => {
    if (!response.ok) return response
    return new Response(await response.text(), { headers: response.headers })
  }
  const fields = new URLSearchParams(location.hash.slice(1))
  const sessionId = fields.get('s')
  const folder = fields.get('w')
  const scope = folder === null ? '' : `&workspace=${encodeURIComponent(folder)}`
  const paths = [`/ai/sessions?view=active&folder=none${scope}`]
  if (sessionId !== null) paths.push(`/ai/sessions/${encodeURIComponent(sessionId)}/messages?limit=60${scope}`)
  const credential = () => {
    try {
      return JSON.parse(localStorage.getItem('troupe.page')).credential
    } catch {
      return undefined
    }
  }
  const authorization = `Page ${credential()}`
  // With a key in the address there is no credential yet.
  if (!fields.has('k')) {
    window.early = Object.fromEntries(
      paths.map((path) => {
        const answer = fetch(path, { headers: { authorization }, credentials: 'omit', cache: 'no-store' }).then(read)
        answer.catch(() => undefined)
        return [path, answer]
      }),
    )
  }
}
