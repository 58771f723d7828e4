import { library, prepareForWine } from './library.ts'

/** Set where Windows is Wine. */
export const WINE = prepareForWine()

// oxfmt-ignore
export const user32 = library('user32.dll', {
  AttachThreadInput: 'int32 (uint32 a, uint32 b, int32 on)',
  BringWindowToTop: 'int32 (intptr_t h)',
  CloseClipboard: 'int32 ()',
  CreateWindowExW:
    'intptr_t (uint32 ex, void *cls, void *text, uint32 style, int32 x, int32 y, int32 w, int32 h, intptr_t parent, intptr_t menu, intptr_t instance, intptr_t p)',
  DispatchMessageW: 'intptr_t (void *message)',
  EmptyClipboard: 'int32 ()',
  GetAncestor: 'intptr_t (intptr_t h, uint32 flags)',
  GetAsyncKeyState: 'int16 (int32 vk)',
  GetClassNameW: 'int32 (intptr_t h, void *text, int32 n)',
  GetClientRect: 'int32 (intptr_t h, void *rect)',
  GetClipboardData: 'intptr_t (uint32 format)',
  GetAwarenessFromDpiAwarenessContext: 'int32 (intptr_t context)',
  GetCursorPos: 'int32 (void *point)',
  GetDC: 'intptr_t (intptr_t h)',
  GetDesktopWindow: 'intptr_t ()',
  GetDlgCtrlID: 'int32 (intptr_t h)',
  GetForegroundWindow: 'intptr_t ()',
  GetGUIThreadInfo: 'int32 (uint32 thread, void *info)',
  GetKeyState: 'int16 (int32 vk)',
  GetLastInputInfo: 'int32 (void *info)',
  GetMenu: 'intptr_t (intptr_t h)',
  GetMenuBarInfo: 'int32 (intptr_t h, int32 object, int32 item, void *info)',
  GetMenuItemCount: 'int32 (intptr_t menu)',
  GetMenuItemID: 'uint32 (intptr_t menu, int32 at)',
  GetMenuItemRect: 'int32 (intptr_t h, intptr_t menu, uint32 at, void *rect)',
  GetMenuState: 'uint32 (intptr_t menu, uint32 at, uint32 flags)',
  GetMenuStringW: 'int32 (intptr_t menu, uint32 at, void *text, int32 n, uint32 flags)',
  GetRawInputData: 'uint32 (intptr_t input, uint32 what, void *into, void *size, uint32 header)',
  GetSubMenu: 'intptr_t (intptr_t menu, int32 at)',
  GetSystemMetrics: 'int32 (int32 which)',
  GetWindow: 'intptr_t (intptr_t h, uint32 which)',
  GetWindowDpiAwarenessContext: 'intptr_t (intptr_t h)',
  GetWindowLongW: 'int32 (intptr_t h, int32 which)',
  GetWindowRect: 'int32 (intptr_t h, void *rect)',
  GetWindowThreadProcessId: 'uint32 (intptr_t h, void *pid)',
  InternalGetWindowText: 'int32 (intptr_t h, void *text, int32 n)',
  IsHungAppWindow: 'int32 (intptr_t h)',
  IsIconic: 'int32 (intptr_t h)',
  IsWindow: 'int32 (intptr_t h)',
  IsWindowEnabled: 'int32 (intptr_t h)',
  IsWindowVisible: 'int32 (intptr_t h)',
  IsZoomed: 'int32 (intptr_t h)',
  MapVirtualKeyW: 'uint32 (uint32 code, uint32 type)',
  MapWindowPoints: 'int32 (intptr_t from, intptr_t to, void *points, uint32 n)',
  MsgWaitForMultipleObjects: 'uint32 (uint32 n, void *handles, int32 all, uint32 ms, uint32 mask)',
  OpenClipboard: 'int32 (intptr_t h)',
  OpenInputDesktop: 'intptr_t (uint32 flags, int32 inherit, uint32 access)',
  CloseDesktop: 'int32 (intptr_t desktop)',
  PeekMessageW: 'int32 (void *message, intptr_t h, uint32 from, uint32 to, uint32 remove)',
  PostMessageW: 'int32 (intptr_t h, uint32 message, uintptr_t w, intptr_t l)',
  RegisterRawInputDevices: 'int32 (void *devices, uint32 n, uint32 size)',
  ReleaseDC: 'int32 (intptr_t h, intptr_t dc)',
  SendInput: 'uint32 (uint32 n, void *inputs, int32 size)',
  SendMessageTimeoutW: 'intptr_t (intptr_t h, uint32 message, uintptr_t w, intptr_t l, uint32 flags, uint32 ms, void *result)',
  SetClipboardData: 'intptr_t (uint32 format, intptr_t memory)',
  SetFocus: 'intptr_t (intptr_t h)',
  SetForegroundWindow: 'int32 (intptr_t h)',
  SetProcessDpiAwarenessContext: 'int32 (intptr_t context)',
  SetThreadDpiAwarenessContext: 'intptr_t (intptr_t context)',
  SetWindowPos: 'int32 (intptr_t h, intptr_t after, int32 x, int32 y, int32 w, int32 height, uint32 flags)',
  ShowWindowAsync: 'int32 (intptr_t h, int32 how)',
  UnhookWinEvent: 'int32 (intptr_t hook)',
  UnhookWindowsHookEx: 'int32 (intptr_t hook)',
  VkKeyScanW: 'int16 (uint16 character)',
  WindowFromPoint: 'intptr_t (int64 at)',
})

/** The same function with a text or memory for its last parameter: those messages below WM_USER are carried across processes. */
export const { SendMessageTimeoutW: sendPointer } = library('user32.dll', {
  SendMessageTimeoutW: 'intptr_t (intptr_t h, uint32 message, uintptr_t w, void *l, uint32 flags, uint32 ms, void *result)',
})

// oxfmt-ignore
export const kernel32 = library('kernel32.dll', {
  CloseHandle: 'int32 (intptr_t h)',
  CreateFileMappingW: 'intptr_t (intptr_t file, intptr_t security, uint32 protect, uint32 high, uint32 low, void *name)',
  GetCurrentThreadId: 'uint32 ()',
  GetLastError: 'uint32 ()',
  GetProcessTimes: 'int32 (intptr_t h, void *created, void *exited, void *kernel, void *user)',
  GlobalAlloc: 'intptr_t (uint32 flags, uint64 size)',
  GlobalFree: 'intptr_t (intptr_t memory)',
  GlobalLock: 'intptr_t (intptr_t memory)',
  GlobalSize: 'uint64 (intptr_t memory)',
  GlobalUnlock: 'int32 (intptr_t memory)',
  IsWow64Process: 'int32 (intptr_t h, void *is32)',
  MapViewOfFile: 'intptr_t (intptr_t mapping, uint32 access, uint32 high, uint32 low, uint64 size)',
  OpenProcess: 'intptr_t (uint32 access, int32 inherit, uint32 pid)',
  QueryFullProcessImageNameW: 'int32 (intptr_t h, uint32 flags, void *name, void *size)',
  ReadProcessMemory: 'int32 (intptr_t h, intptr_t from, void *into, uint64 size, void *done)',
  RtlMoveMemory: 'void (intptr_t to, void *from, uint64 size)',
  VirtualAllocEx: 'intptr_t (intptr_t h, intptr_t at, uint64 size, uint32 type, uint32 protect)',
  VirtualFreeEx: 'int32 (intptr_t h, intptr_t at, uint64 size, uint32 type)',
  WriteProcessMemory: 'int32 (intptr_t h, intptr_t to, void *from, uint64 size, void *done)',
})

// oxfmt-ignore
export const advapi32 = library('advapi32.dll', {
  GetTokenInformation: 'int32 (intptr_t token, int32 what, void *into, uint32 n, void *needed)',
  OpenProcessToken: 'int32 (intptr_t process, uint32 access, void *token)',
  RegGetValueW: 'int32 (intptr_t key, void *path, void *name, uint32 kinds, void *kind, void *data, void *size)',
})

// oxfmt-ignore
export const gdi32 = library('gdi32.dll', {
  BitBlt: 'int32 (intptr_t to, int32 x, int32 y, int32 w, int32 h, intptr_t from, int32 fx, int32 fy, uint32 how)',
  CreateCompatibleBitmap: 'intptr_t (intptr_t dc, int32 w, int32 h)',
  CreateCompatibleDC: 'intptr_t (intptr_t dc)',
  DeleteDC: 'int32 (intptr_t dc)',
  DeleteObject: 'int32 (intptr_t object)',
  GetDIBits: 'int32 (intptr_t dc, intptr_t bitmap, uint32 first, uint32 n, void *bits, void *info, uint32 usage)',
  SelectObject: 'intptr_t (intptr_t dc, intptr_t object)',
})
