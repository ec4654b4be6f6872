export const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The tabs of a context share a renderer and none is started to spare: a third of what it takes to open a page.
  '--renderer-process-limit=1',
]
