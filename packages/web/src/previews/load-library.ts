import echarts from 'echarts/dist/echarts.min.js?url'
import mermaid from 'virtual:mermaid'

const addresses = { echarts, mermaid }
const loaded = new Map<string, Promise<string>>()

/** The source of a library that draws, for the frame that runs it: the page itself never does. */
export function loadLibrary(name: keyof typeof addresses): Promise<string> {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const loading = fetch(addresses[name]).then((response) => {
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    return response.text()
  })
  loaded.set(name, loading)
  // The next one who asks tries again.
  loading.catch(() => loaded.delete(name))
  return loading
}
