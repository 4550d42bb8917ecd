import Bluetooth
import FoundationEssentials
import Glibc
import Host
import Journal
import Model

/// Reads facts about a computer from its files.
struct HostFiles: Sendable {
  let tree: FileTree

  /// The kernel's release.
  var kernel: HostFact<String> {
    let path = "/proc/sys/kernel/osrelease"
    return tree.text(of: path).map { .known($0) } ?? unreadable(path)
  }

  /// The load of the processors.
  /// - Parameter processors: Their number.
  func load(on processors: Int) -> HostFact<LoadFacts> {
    let path = "/proc/loadavg"
    let average = tree.text(of: path)?.split(separator: " ").first.flatMap { Double($0, in: 0...1e6) }
    return average.map { .known(LoadFacts(average: $0, processors: processors)) } ?? unreadable(path)
  }

  var bluetooth: BluetoothFacts {
    BluetoothFacts(
      isInKernel: tree.has(ControllerFiles.folder), daemon: daemon, configuration: configuration,
      controllers: controllers, wifi: wifi, storedDevices: storedDevices)
  }

  private var controllers: [ControllerFacts] {
    let files = ControllerFiles(tree)
    return files.names.map { name in
      let timeout = tree.text(of: "/sys/kernel/debug/bluetooth/\(name)/supervision_timeout")
      return ControllerFacts(
        name: name, hardware: files.hardware(of: name, adding: nil), block: files.block(of: name),
        // In units of 10 ms (Bluetooth Core, Vol 4 Part E 7.8.12).
        supervisionTimeout: timeout.flatMap { Int($0, in: 0...65_535) }.map { Duration.milliseconds($0 * 10) }
      )
    }
  }

  // MARK: bluetoothd

  /// The running bluetoothd, found by its process name; otherwise the one that systemd would start.
  private var daemon: HostFact<DaemonFacts> {
    guard let entries = tree.names(in: "/proc") else {
      return .unknown("the processes cannot be listed (/proc)")
    }
    for process in entries.compactMap({ Int32($0, in: 1...Int32.max) }).sorted() {
      guard tree.text(of: "/proc/\(process)/comm") == "bluetoothd",
        let bytes = tree.content(of: "/proc/\(process)/cmdline"), !bytes.isEmpty
      else { continue }
      let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return .known(DaemonFacts(command: words, process: process))
    }
    guard let unit else { return .unknown("there is no visible process and no systemd unit") }
    return .known(DaemonFacts(command: unit))
  }

  /// The command of systemd's unit: its `ExecStart`, which drop-ins can replace (systemd.unit(5)).
  private var unit: [String]? {
    let name = "bluetooth.service"
    let units = ["/etc/systemd/system/", "/lib/systemd/system/", "/usr/lib/systemd/system/"].map { $0 + name }
    guard let unit = units.lazy.compactMap({ tree.text(of: $0) }).first else { return nil }
    let folder = "/etc/systemd/system/\(name).d"
    let dropIns = (tree.names(in: folder) ?? [])
      .filter { $0.hasSuffix(".conf") }.sorted().compactMap { tree.text(of: "\(folder)/\($0)") }
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
    let path = MainConfiguration.path
    guard tree.has(path) else { return .known(MainConfiguration()) }
    return tree.text(of: path).map { .known(MainConfiguration($0)) } ?? unreadable(path)
  }

  /// The number of devices that bluetoothd has on disk, for all adapters.
  private var storedDevices: HostFact<Int> {
    let folder = "/var/lib/bluetooth"
    guard let adapters = tree.names(in: folder) else {
      return .unknown(
        tree.has(folder) ? "\(folder) is readable by root only" : "there is no \(folder)")
    }
    let devices = adapters.filter { BluetoothAddress($0) != nil }.flatMap { adapter in
      tree.names(in: "\(folder)/\(adapter)") ?? []
    }
    return .known(devices.count { BluetoothAddress($0) != nil })
  }

  // MARK: WiFi

  private var wifi: [WiFiFacts] {
    let folder = "/sys/class/net"
    let names = (tree.names(in: folder) ?? []).sorted()
    return names.compactMap { name in
      let place = "\(folder)/\(name)"
      let isWiFi = ["wireless", "phy80211"].contains { tree.has("\(place)/\($0)") }
      guard isWiFi else { return nil }
      let path = (tree.target(ofLink: place) ?? "")
        .split(separator: "/").filter { $0 != ".." }.dropLast(2)
      let start = path.firstIndex { $0.hasPrefix("usb") }
      return WiFiFacts(
        name: name, driver: tree.targetName(ofLink: place + "/device/driver"),
        isUp: tree.text(of: "\(place)/operstate") == "up",
        usbPath: start.map { path[$0...].joined(separator: "/") })
    }
  }

  private func unreadable<Value: Sendable & Hashable>(_ path: String) -> HostFact<Value> {
    .unknown(tree.has(path) ? "this user cannot read \(path)" : "there is no \(path)")
  }

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
}

extension HostFacts {
  /// The facts of this computer.
  /// - Parameters:
  ///   - isSimulated: Whether Bluetooth belongs to a virtual building.
  ///   - reports: The reports directory.
  ///   - files: The files whose permissions to check.
  package static func system(isSimulated: Bool, reports: String, files: [FileFacts] = []) -> HostFacts {
    let host = HostFiles(tree: .below(""))
    return HostFacts(
      kernel: host.kernel,
      isClockSynchronised: HostClocks.isSynchronised.map { .known($0) }
        ?? .unknown("the kernel does not report it"),
      load: host.load(on: ProcessInfo.processInfo.activeProcessorCount),
      bluetooth: isSimulated
        ? .unknown("the building is simulated")
        : HostEnvironment.systemBusAddress == nil
          ? .known(host.bluetooth)
          : .unknown("the bus may be another computer's (DBUS_SYSTEM_BUS_ADDRESS)"),
      reports: HostFiles.storage(reports), files: files)
  }
}
