import Bluetooth
import VirtualBuilding

/// A firmware alone, without a radio: a connected device, its timers and its effects.
struct FirmwareBench<Device: Firmware> {
  private(set) var firmware: Device
  private var generator = SeededGenerator(seed: 1)
  private var now = MonotonicInstant(sinceZero: .zero)
  private var timers: [(timer: FirmwareTimer, at: MonotonicInstant)] = []

  init(_ firmware: Device, faults: [Fault] = []) {
    self.firmware = firmware
    deliver(.started)
    deliver(.connected(faults: faults))
  }

  @discardableResult
  mutating func deliver(_ event: FirmwareEvent) -> [FirmwareEffect] {
    let effects = firmware.handle(event, at: now, generator: &generator)
    for effect in effects {
      switch effect {
      case .setTimer(let timer, let duration): timers.append((timer, now.advanced(by: duration)))
      case .restart: timers = []
      default: break
      }
    }
    return effects
  }

  /// Writes a value with response, as request 1.
  @discardableResult
  mutating func write(_ value: [UInt8], to characteristic: BluetoothUUID) -> [FirmwareEffect] {
    deliver(.write(1, characteristic, value))
  }

  /// Lets time pass, and returns what happens meanwhile.
  @discardableResult
  mutating func wait(_ duration: Duration) -> [FirmwareEffect] {
    let end = now.advanced(by: duration)
    var effects: [FirmwareEffect] = []
    while let next = timers.indices.min(by: { timers[$0].at < timers[$1].at }), timers[next].at <= end {
      let due = timers.remove(at: next)
      now = due.at
      effects += deliver(.timer(due.timer))
    }
    now = end
    return effects
  }
}
