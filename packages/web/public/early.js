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
  const stored = () => {
    try {
      return JSON.parse(localStorage.getItem('troupe.page')) ?? {}
    } catch {
      return {}
    }
  }
  const { credential, linkId } = stored()
  const access =
    linkId === undefined
      ? { headers: { authorization: `Page ${credential}` }, credentials: 'omit' }
      : { headers: { 'x-troupe-page': '1' }, credentials: 'same-origin' }
  // With a key in the address there is no credential yet. The other links open pages of their own.
  if (!['k', 'setup', 'invite', 'share', 'device', 'sign-in-failed'].some((name) => fields.has(name))) {
    window.early = Object.fromEntries(
      paths.map((path) => {
        const answer = fetch(path, { ...access, cache: 'no-store' }).then(read)
        answer.catch(() => undefined)
        return [path, answer]
      }),
    )
  }
}
