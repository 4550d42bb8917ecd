import Foundation

extension HostFacts {
  /// The facts of this computer.
  /// - Parameters:
  ///   - isSimulated: Whether Bluetooth is a virtual building's.
  ///   - reports: The reports directory.
  ///   - files: Files of which others' rights are asked.
  static func system(isSimulated: Bool, reports: String, files: [FileFacts] = []) -> HostFacts {
    let host = HostFiles.system
    return HostFacts(
      kernel: host.kernel,
      isClockSynchronised: HostClocks.isSynchronised.map { .known($0) }
        ?? .unknown("the kernel does not say"),
      bluetooth: isSimulated
        ? .unknown("the building is simulated")
        : HostEnvironment.systemBusAddress == nil
          ? .known(host.bluetooth)
          : .unknown("the bus may be another computer's (DBUS_SYSTEM_BUS_ADDRESS)"),
      reports: host.storage(reports), files: files)
  }
}
