// What the addon of this platform is called: linux-x64-gnu, darwin-arm64, win32-x64-msvc.
"use strict";

exports.platform = () => {
  const { platform, arch, report } = process;
  if (platform === "linux") {
    // Without this Node looks up the names of open connections.
    report.excludeNetwork = true;
    const isGlibc = Boolean(report.getReport().header.glibcVersionRuntime);
    return `${platform}-${arch}-${isGlibc ? "gnu" : "musl"}`;
  }
  return platform === "win32" ? `${platform}-${arch}-msvc` : `${platform}-${arch}`;
};
