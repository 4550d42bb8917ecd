import FoundationEssentials

extension HostFacts {
  /// The facts of this computer.
  /// - Parameters:
  ///   - isSimulated: Whether Bluetooth belongs to a virtual building.
  ///   - reports: The reports directory.
  ///   - files: The files whose permissions to check.
  package static func system(isSimulated: Bool, reports: String, files: [FileFacts] = []) -> HostFacts {
    let host = HostFiles.system
    return HostFacts(
      kernel: host.kernel,
      isClockSynchronised: HostClocks.isSynchronised.map { .known($0) }
        ?? .unknown("the kernel does not report it"),
      bluetooth: isSimulated
        ? .unknown("the building is simulated")
        : HostEnvironment.systemBusAddress == nil
          ? .known(host.bluetooth)
          : .unknown("the bus may be another computer's (DBUS_SYSTEM_BUS_ADDRESS)"),
      reports: HostFiles.storage(reports), files: files)
  }
}
