/* A machine made of files: root stands where / would. */
#include "platform/linux/device/device.h"

#include "tests/unit/unit.h"

static const char *root;

static void put(const char *path, const char *text) {
    OC_AUTO_FREE char *full = oc_strfmt("%s/%s", root, path);
    for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    oc_write_text(full, text);
}

static int setup(void **state) {
    int rc = oc_temp_setup(state);
    root = *state;
    return rc;
}

static struct os_device_status status(void) {
    struct os_device_status s;
    os_linux_device_status(root, root, &s);
    return s;
}

static void nothing_is_claimed_without_sensors(void **state) {
    (void)state;
    struct os_device_status s = status();
    assert_int_equal(s.battery, OS_BATTERY_UNKNOWN);
    assert_true(s.battery_level < 0);
    assert_false(s.is_saving_power);
    assert_int_equal(s.thermal, OS_THERMAL_NOMINAL);
    assert_int_equal(s.interfaces, 0);
    assert_true(s.disk_total_bytes > 0 && s.disk_free_bytes <= s.disk_total_bytes);
    struct os_device_info d;
    os_linux_device_info(root, &d);
    assert_string_equal(d.system_name, "Linux");
    assert_string_equal(d.system_version, d.kernel);
    assert_string_equal(d.model, d.machine);
}

static void two_batteries_are_one(void **state) {
    (void)state;
    put("sys/class/power_supply/AC/type", "Mains\n");
    put("sys/class/power_supply/BAT0/type", "Battery\n");
    put("sys/class/power_supply/BAT0/status", "Full\n");
    put("sys/class/power_supply/BAT0/energy_now", "30000\n");
    put("sys/class/power_supply/BAT0/energy_full", "30000\n");
    put("sys/class/power_supply/BAT1/type", "Battery\n");
    put("sys/class/power_supply/BAT1/status", "Discharging\n");
    put("sys/class/power_supply/BAT1/energy_now", "15000\n");
    put("sys/class/power_supply/BAT1/energy_full", "30000\n");
    put("sys/class/power_supply/mouse/type", "Battery\n");
    put("sys/class/power_supply/mouse/scope", "Device\n");
    put("sys/class/power_supply/mouse/status", "Charging\n");
    put("sys/firmware/acpi/platform_profile", "low-power\n");
    struct os_device_status s = status();
    assert_int_equal(s.battery, OS_BATTERY_UNPLUGGED);
    assert_true(s.battery_level > 0.74 && s.battery_level < 0.76);
    assert_true(s.is_saving_power);
    put("sys/class/power_supply/BAT1/status", "Charging\n");
    assert_int_equal(status().battery, OS_BATTERY_CHARGING);
    put("sys/class/power_supply/BAT1/status", "Not charging\n");
    assert_int_equal(status().battery, OS_BATTERY_FULL);
}

static void a_battery_that_only_knows_percent(void **state) {
    (void)state;
    put("sys/class/power_supply/BAT0/type", "Battery\n");
    put("sys/class/power_supply/BAT0/capacity", "103\n");
    struct os_device_status s = status();
    assert_int_equal(s.battery, OS_BATTERY_UNKNOWN);
    assert_true(s.battery_level > 0.99 && s.battery_level <= 1);
}

static void heat_is_judged_by_the_zones_own_marks(void **state) {
    (void)state;
    put("sys/class/thermal/cooling_device0/type", "Fan\n");
    put("sys/class/thermal/thermal_zone0/temp", "95000\n");
    put("sys/class/thermal/thermal_zone0/trip_point_0_type", "critical\n");
    put("sys/class/thermal/thermal_zone0/trip_point_0_temp", "105000\n");
    put("sys/class/thermal/thermal_zone0/trip_point_1_type", "passive\n");
    put("sys/class/thermal/thermal_zone0/trip_point_1_temp", "90000\n");
    put("sys/class/thermal/thermal_zone0/trip_point_2_type", "hot\n");
    put("sys/class/thermal/thermal_zone0/trip_point_2_temp", "-274000\n");
    put("sys/class/thermal/thermal_zone1/temp", "20000\n");
    assert_int_equal(status().thermal, OS_THERMAL_FAIR);
    put("sys/class/thermal/thermal_zone0/temp", "105000\n");
    assert_int_equal(status().thermal, OS_THERMAL_CRITICAL);
    put("sys/class/thermal/thermal_zone0/temp", "broken\n");
    assert_int_equal(status().thermal, OS_THERMAL_NOMINAL);
}

#define V4_HEAD \
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

static void the_world_is_behind_default_routes(void **state) {
    (void)state;
    put("proc/net/route",
            V4_HEAD "wlp1s0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
                    "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n");
    put("sys/class/net/wlp1s0/wireless/x", "");
    assert_int_equal(os_linux_device_interfaces(root), OS_NET_WIFI);
    put("proc/net/ipv6_route",
            "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
            "fe800000000000000000000000000001 00000400 00000001 00000000 00000003 enp2s0\n"
            "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
            "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200 lo\n");
    assert_int_equal(os_linux_device_interfaces(root), OS_NET_WIFI | OS_NET_WIRED);
    put("proc/net/ipv6_route", "");
    put("proc/net/route",
            V4_HEAD "wwan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
                    "tun0\t00000000\t0102A8C0\t0003\t0\t0\t50\t00000000\t0\t0\t0\nnonsense\n");
    put("sys/class/net/wwan0/uevent", "DEVTYPE=wwan\nINTERFACE=wwan0\n");
    assert_int_equal(os_linux_device_interfaces(root), OS_NET_CELLULAR | OS_NET_OTHER);
}

static void what_it_is(void **state) {
    (void)state;
    put("etc/os-release", "PRETTY_NAME=\"x\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID='12'\n");
    put("sys/class/dmi/id/product_name", "ThinkPad X1\n");
    put("proc/uptime", "93.25 80.00\n");
    struct os_device_info d;
    os_linux_device_info(root, &d);
    assert_string_equal(d.system_name, "Debian GNU/Linux");
    assert_string_equal(d.system_version, "12");
    assert_string_equal(d.model, "ThinkPad X1");
    assert_true(status().uptime_s > 93.2 && status().uptime_s < 93.3);
    put("sys/class/dmi/id/product_name", "To Be Filled By O.E.M.\n");
    put("proc/device-tree/model", "Board 4");
    os_linux_device_info(root, &d);
    assert_string_equal(d.model, "Board 4");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, oc_temp_teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_claimed_without_sensors),
        TEST(two_batteries_are_one),
        TEST(a_battery_that_only_knows_percent),
        TEST(heat_is_judged_by_the_zones_own_marks),
        TEST(the_world_is_behind_default_routes),
        TEST(what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
