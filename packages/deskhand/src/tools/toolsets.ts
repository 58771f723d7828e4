export const TOOLSETS = ['ui', 'gui', 'script', 'python', 'avis', 'desktop', 'op'] as const
export type Toolset = (typeof TOOLSETS)[number]
