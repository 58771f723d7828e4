/** Whether this can be the name of an image that the operator provided: no path, and no way out of a folder. */
export const isImageName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_ .-]{0,99}$/.test(name) && !name.includes('..')
