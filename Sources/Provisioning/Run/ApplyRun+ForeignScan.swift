import Bluetooth

/// Other programs that scan with an adapter of this run.
extension ApplyRun {
  /// Tells the schedule whether another program scans with an adapter in use, and puts it on record if so: once per adapter
  /// and run, with the programs that it may be.
  func noteForeignScan(on adapter: Adapter) async {
    guard let session = radios[adapter.id] else { return }
    schedule.setShared(adapter.isScannedByOthers, session)
    guard adapter.isScannedByOthers, foreignScans.insert(adapter.id).inserted else { return }
    let central = central
    let asked = await race(.seconds(5), on: clock) { () throws(CentralError) in
      await central.scanningClients(on: adapter.id)
    }
    var clients: [String] = []
    if case .value(let found) = asked { clients = found }
    coordinator.note(.foreignScanDetected(.init(adapter: adapter.id, clients: clients)))
  }
}
