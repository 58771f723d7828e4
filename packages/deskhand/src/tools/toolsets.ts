export const TOOLSETS = ['ui', 'gui', 'script', 'python', 'avis', 'desktop', 'op', 'input', 'play'] as const
export type Toolset = (typeof TOOLSETS)[number]
