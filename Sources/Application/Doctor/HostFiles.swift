import Bluetooth
import FoundationEssentials
import Glibc
import Journal
import Model

/// Reads facts about a computer from its files.
struct HostFiles: Sendable {
  let tree: FileTree

  static let system = HostFiles(tree: .below(""))

  /// The kernel's release.
  var kernel: HostFact<String> {
    text("/proc/sys/kernel/osrelease")
  }

  var bluetooth: BluetoothFacts {
    let files = ControllerFiles(tree)
    let controllers = files.names.map { name in
      ControllerFacts(
        name: name, hardware: files.hardware(of: name, adding: nil), block: files.block(of: name),
        supervisionTimeout: supervisionTimeout(of: name))
    }
    return BluetoothFacts(
      isInKernel: tree.has(ControllerFiles.folder), daemon: daemon,
      configuration: configuration, controllers: controllers, wifi: wifi,
      storedDevices: storedDevices)
  }

  // MARK: bluetoothd

  /// The running bluetoothd, found by its process name; otherwise the one that systemd would start.
  private var daemon: HostFact<DaemonFacts?> {
    guard let entries = tree.names(in: "/proc") else {
      return .unknown("the processes cannot be listed (/proc)")
    }
    for process in entries.compactMap({ Int32($0, in: 1...Int32.max) }).sorted() {
      guard text("/proc/\(process)/comm").value == "bluetoothd",
        let bytes = tree.content(of: "/proc/\(process)/cmdline"), !bytes.isEmpty
      else { continue }
      let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return .known(DaemonFacts(command: words, process: process))
    }
    return .known(unit.map { DaemonFacts(command: $0, process: nil) })
  }

  /// The command of systemd's unit: its `ExecStart`, which drop-ins can replace (systemd.unit(5)).
  private var unit: [String]? {
    let name = "bluetooth.service"
    let units = ["/etc/systemd/system/", "/lib/systemd/system/", "/usr/lib/systemd/system/"].map { $0 + name }
    guard let unit = units.lazy.compactMap({ text($0).value }).first else { return nil }
    let folder = "/etc/systemd/system/\(name).d"
    let dropIns = (tree.names(in: folder) ?? [])
      .filter { $0.hasSuffix(".conf") }.sorted().compactMap { text("\(folder)/\($0)").value }
    var command: [String]?
    for line in ([unit] + dropIns).joined(separator: "\n").split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("ExecStart=") else { continue }
      let words = line.dropFirst("ExecStart=".count).split(separator: " ").map(String.init)
      command = words.isEmpty ? nil : words
    }
    return command
  }

  /// `/etc/bluetooth/main.conf`. Without the file bluetoothd uses its defaults.
  private var configuration: HostFact<MainConfiguration> {
    guard tree.has(MainConfiguration.path) else { return .known(MainConfiguration()) }
    return switch text(MainConfiguration.path) {
    case .known(let text): .known(MainConfiguration(text))
    case .unknown(let why): .unknown(why)
    }
  }

  /// The number of devices that bluetoothd has on disk, for all adapters.
  private var storedDevices: HostFact<Int> {
    let folder = "/var/lib/bluetooth"
    guard let adapters = tree.names(in: folder) else {
      return .unknown(
        tree.has(folder)
          ? "\(folder) is readable by root only" : "there is no \(folder)")
    }
    let devices = adapters.filter { BluetoothAddress($0) != nil }.flatMap { adapter in
      tree.names(in: "\(folder)/\(adapter)") ?? []
    }
    return .known(devices.count { BluetoothAddress($0) != nil })
  }

  private func supervisionTimeout(of name: String) -> HostFact<Duration> {
    let path = "/sys/kernel/debug/bluetooth/\(name)/supervision_timeout"
    switch text(path) {
    case .known(let text):
      guard let units = Int(text, in: 0...65_535) else { return .unknown("\(path) has no time") }
      // In units of 10 ms (Bluetooth Core, Vol 4 Part E 7.8.12).
      return .known(.milliseconds(units * 10))
    case .unknown(let why):
      return .unknown(why)
    }
  }

  // MARK: WiFi

  private var wifi: [WiFiFacts] {
    let folder = "/sys/class/net"
    let names = (tree.names(in: folder) ?? []).sorted()
    return names.compactMap { name in
      let place = "\(folder)/\(name)"
      let isWiFi = ["wireless", "phy80211"].contains { tree.has("\(place)/\($0)") }
      guard isWiFi else { return nil }
      let driver = tree.target(ofLink: place + "/device/driver")
      let path = (tree.target(ofLink: place) ?? "")
        .split(separator: "/").filter { $0 != ".." }.dropLast(2)
      let start = path.firstIndex { $0.hasPrefix("usb") }
      return WiFiFacts(
        name: name, driver: driver?.split(separator: "/").last.map(String.init),
        isUp: text("/sys/class/net/\(name)/operstate").value == "up",
        usbPath: start.map { path[$0...].joined(separator: "/") })
    }
  }

  // MARK: Files

  /// The free space and permissions of a directory. If it does not exist, those of the nearest existing one
  /// above it.
  /// - Parameter root: The folder that replaces `/`.
  static func storage(_ path: String, below root: String = "") -> StorageFacts {
    var place = root + (path.isEmpty ? "." : path)
    while !FileManager.default.fileExists(atPath: place) {
      guard let end = place.lastIndex(of: "/") else {
        place = "."
        break
      }
      place = end == place.startIndex ? "/" : String(place[..<end])
    }
    var status = statvfs()
    let free: HostFact<UInt64> =
      // A virtual file system (/proc) has no size.
      statvfs(place, &status) == 0 && status.f_blocks > 0
      ? .known(status.freeBytes)
      : .unknown("the file system of \(path) does not report it")
    var isDirectory: Bool = false
    _ = FileManager.default.fileExists(atPath: place, isDirectory: &isDirectory)
    let access: StorageFacts.Access =
      !isDirectory
      ? .noDirectory(String(place.dropFirst(root.count)))
      : access(place, W_OK | X_OK) == 0 ? .writable : .denied
    return StorageFacts(path: path, free: free, access: access)
  }

  /// A file's text without surrounding white space.
  private func text(_ path: String) -> HostFact<String> {
    guard let data = tree.content(of: path) else {
      if tree.has(path) {
        return .unknown("this user cannot read \(path)")
      }
      return .unknown(
        path.hasPrefix("/sys/kernel/debug") ? "\(path) is readable by root only" : "there is no \(path)")
    }
    return .known(
      String(decoding: data, as: UTF8.self).trimmed)
  }
}
