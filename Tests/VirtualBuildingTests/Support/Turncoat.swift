import Bluetooth
import VirtualBuilding

/// A device that changes its advertised number after 1, 2 and 3 s; with the last number it is not
/// connectable.
struct Turncoat: Firmware {
  var flash = Flash()
  private var number: UInt8 = 0

  var advertising: AdvertisingPayload? {
    AdvertisingPayload(isConnectable: number < 3, manufacturerData: [1: [number]])
  }
  var services: [ServiceDefinition] { [] }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .timer: number += 1
    case .started: break
    default: return []
    }
    return number < 3 ? [.setTimer(FirmwareTimer("change"), .seconds(1))] : []
  }

  static var family: FirmwareFamily { FirmwareFamily(name: "turncoat") { _ in Turncoat() } }
}
