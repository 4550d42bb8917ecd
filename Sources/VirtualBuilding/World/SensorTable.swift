import Bluetooth

/// The sensors of a world: found by address, and, where there is no time for that, by their number in the order of
/// their addresses.
struct SensorTable {
  private var states: [SensorState]
  private var numbers: [BluetoothAddress: Int] = [:]

  /// Sensors with addresses that differ.
  init(_ sensors: [SensorState]) {
    states = sensors.sorted { $0.scenario.address < $1.scenario.address }
    for (number, state) in states.enumerated() {
      let address = state.scenario.address
      precondition(numbers.updateValue(number, forKey: address) == nil, "two sensors at \(address)")
    }
  }

  /// Their numbers, by rising address.
  var indices: Range<Int> { states.indices }

  /// The number of the sensor at an address; nil when there is none.
  func number(of address: BluetoothAddress) -> Int? { numbers[address] }

  /// The sensor at an address; nil when there is none, which cannot be changed.
  subscript(address: BluetoothAddress) -> SensorState? {
    get { numbers[address].flatMap { states[$0] } }
    set { if let number = numbers[address], let newValue { states[number] = newValue } }
  }

  /// The sensor of a number, looked at and changed in place.
  subscript(number: Int) -> SensorState {
    _read { yield states[number] }
    _modify { yield &states[number] }
  }
}
