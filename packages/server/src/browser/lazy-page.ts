import type { BrowserPage } from '@troupe/core'

/** A page whose code is loaded when it is first used: most servers never drive a browser. */
export function lazyPage(load: () => Promise<BrowserPage>): BrowserPage {
  let loading: Promise<BrowserPage> | undefined
  const page = (): Promise<BrowserPage> => (loading ??= load())
  return {
    open: async (...given) => (await page()).open(...given),
    look: async (...given) => (await page()).look(...given),
    describe: async (...given) => (await page()).describe(...given),
    html: async (...given) => (await page()).html(...given),
    links: async (...given) => (await page()).links(...given),
    act: async (...given) => (await page()).act(...given),
    wait: async (...given) => (await page()).wait(...given),
    picture: async (...given) => (await page()).picture(...given),
    dispose: async () => (await loading)?.dispose(),
  }
}
