export const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Tabs share renderers and no spare one is started. This cuts the cost of opening a page to a third. Two renderers,
  // for two cores.
  '--renderer-process-limit=2',
]
