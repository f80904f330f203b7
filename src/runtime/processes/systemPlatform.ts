import { linuxPlatform } from "./linux";
import { posixPlatform } from "./posix";
import { windowsPlatform } from "./windows";
import type { ProcessPlatform } from "./platform";

export function systemPlatform(system: NodeJS.Platform = process.platform): ProcessPlatform {
  switch (system) {
    case "linux":
      return linuxPlatform;
    case "win32":
      return windowsPlatform();
    default:
      return posixPlatform();
  }
}
