export const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Tabs share renderers and none is started to spare: a third of what it takes to open a page. Two, for two cores.
  '--renderer-process-limit=2',
]
