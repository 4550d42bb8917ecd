import Model
package import Session
package import VirtualBuilding

/// The device families of random buildings: what the program knows of each, and its virtual firmware.
package struct SimulatedFamilies: Sendable {
  struct Family: Sendable {
    let driver: FamilyDriver
    let firmware: FirmwareFamily
    /// What both need, which `init` has checked.
    let draw: FirmwareDraw

    var family: DeviceFamily { driver.family }
  }

  let all: [Family]
  /// The makes of devices that no room has.
  let others: [FirmwareFamily]

  var drivers: [FamilyDriver] { all.map(\.driver) }

  /// Each family with the firmware and the draw of its name; the firmware must have an oracle. Firmware of other names
  /// belongs to no room.
  package init(
    _ drivers: [FamilyDriver], _ firmwares: [FirmwareFamily],
    draws: [String: FirmwareDraw] = FirmwareDraw.builtIn
  ) {
    all = drivers.map { driver in
      guard let firmware = firmwares.first(where: { $0.name == driver.family.id.rawValue }),
        let draw = draws[firmware.name], firmware.oracle != nil
      else { preconditionFailure("\(driver.family.id) has no virtual firmware with an oracle and a draw") }
      return Family(driver: driver, firmware: firmware, draw: draw)
    }
    others = firmwares.filter { firmware in
      !drivers.contains { $0.family.id.rawValue == firmware.name }
    }
  }
}
